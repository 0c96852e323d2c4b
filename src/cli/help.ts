import { EXIT_CODES, type Command, type Group } from './command.ts';

const WIDTH = 100;

/** Returns the text of `phial --help`: a line for each group with the names of its commands. */
export function helpOnAll(groups: Group[]): string {
  return [
    ...listExamples(['phial', 'phial doctor', 'phial orders --status completed']),
    'phial [command] [flags]',
    '',
    ...groups.flatMap(({ name, does, commands }) => [
      ...entry(name, does),
      ...wrap(shortNames(commands).map(unbroken).join(', '), WIDTH - 6).map((line) => `      ${line}`),
    ]),
    '',
    'phial help GROUP lists the commands of a group. phial COMMAND --help shows examples and flags.',
    '--version prints the version. Options come from the environment and from .env. .env.example lists them.',
    EXIT_CODES,
  ].join('\n');
}

/** Returns for example `hl7 list|show`, which is shorter than `hl7 list, hl7 show`. */
function shortNames(commands: Command[]): string[] {
  const lasts = new Map<string, string[]>();
  for (const { words } of commands) {
    const at = words.lastIndexOf(' ');
    const before = words.slice(0, at + 1);
    if (at === -1) lasts.set(words, []);
    else lasts.set(before, [...(lasts.get(before) ?? []), words.slice(at + 1)]);
  }
  return [...lasts].map(([before, names]) => before + names.join('|'));
}

/** Spaces at which `wrap` breaks no line. */
const unbroken = (text: string): string => text.replaceAll(' ', '\u00a0');

const listExamples = (examples: readonly string[]): string[] => [...examples.map((line) => `  ${line}`), ''];

/** Returns the text of `--help`. It lists all flags of a single command, or one line for each of several commands. */
export function helpOn(commands: Command[]): string {
  const [only, ...others] = commands;
  if (only && others.length === 0) return helpOnOne(only);
  const shared = sharedWords(commands);
  const group = shared && `${shared} `;
  return [
    ...listExamples(commands.flatMap(({ examples }) => examples.slice(-1)).slice(0, 3)),
    `phial ${group}COMMAND [flags]`,
    '',
    ...commands.flatMap((command) => entry(usage(command), command.summary)),
    '',
    `phial ${group}COMMAND --help lists the flags of a command.`,
    'Options come from the environment and from .env. .env.example lists them.',
  ].join('\n');
}

/** Returns the words with which all commands begin: `org` for the commands that `phial org --help` lists. */
function sharedWords(commands: Command[]): string {
  const [first = [], ...others] = commands.map(({ words }) => words.split(' '));
  const beginning = (words: string[], length: number): string => words.slice(0, length).join(' ');
  const shared = first.filter((_, index) =>
    others.every((words) => beginning(words, index + 1) === beginning(first, index + 1)),
  );
  return shared.join(' ');
}

function helpOnOne(command: Command): string {
  const flags = Object.entries(command.flags).flatMap(([name, flag]) => {
    const notes = [
      ...(flag.choices ? [`One of ${flag.choices.join(', ')}.`] : []),
      ...(flag.default === undefined ? [] : [`Default: ${flag.default}.`]),
      ...(flag.repeated ? ['May be repeated.'] : []),
    ];
    return entry(`--${name} ${flag.value}`.trimEnd(), [flag.meaning, ...notes].join(' '));
  });
  const { operand, examples, summary } = command;
  const choices = operand?.choices ? ` One of ${operand.choices.join(', ')}.` : '';
  return [
    ...listExamples(examples),
    `phial ${usage(command)}`,
    '',
    ...wrap(summary, WIDTH),
    ...(operand ? ['', ...entry(operand.name, operand.meaning + choices)] : []),
    ...(flags.length > 0 ? ['', ...flags] : []),
    '',
    'Options come from the environment and from .env. .env.example lists them.',
    EXIT_CODES,
  ].join('\n');
}

/**
 * Returns for example `bootstrap --org NAME [--plan PLAN]`. If that is too long for a line, `[flags]` replaces the
 * optional flags.
 */
function usage({ words, operand, flags }: Command): string {
  const all = Object.entries(flags).map(([name, flag]) => {
    const one = `--${name} ${flag.value}${flag.repeated ? '…' : ''}`.trimEnd();
    return flag.required ? one : `[${one}]`;
  });
  const word = operand ? [operand.required ? operand.name : `[${operand.name}]`] : [];
  const line = [words, ...word, ...all].join(' ');
  if (line.length + 2 <= WIDTH) return line;
  return [words, ...word, ...all.filter((one) => !one.startsWith('[')), '[flags]'].join(' ');
}

const COLUMN = 30;

/**
 * Returns the lines for a term and its explanation. The explanation is on the same line, or below it if the term is too
 * long.
 */
function entry(what: string, meaning: string): string[] {
  const lines = wrap(meaning, WIDTH - COLUMN - 2);
  const beside = what.length < COLUMN - 1;
  return [
    `  ${beside ? what.padEnd(COLUMN) + lines[0] : what}`.trimEnd(),
    ...lines.slice(beside ? 1 : 0).map((line) => ' '.repeat(COLUMN + 2) + line),
  ];
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) as string;
    if (last === '') lines[lines.length - 1] = word;
    else if (last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => line.replaceAll('\u00a0', ' '));
}
