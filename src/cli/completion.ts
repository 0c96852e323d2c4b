// Scripts that complete the words of a command line in a shell. They are made of the command table alone.
import type { Command, SHELLS } from './command.ts';
import { COMMANDS } from './commands.ts';

export function completionCommand({ operand }: { operand: string | undefined }): number {
  console.log(completionFor(operand as (typeof SHELLS)[number], COMMANDS));
  return 0;
}

/** Returns the script for a shell. The person loads it in the start file of the shell. */
export function completionFor(shell: (typeof SHELLS)[number], commands: Command[]): string {
  return { bash, zsh, fish }[shell](offersOf(commands));
}

/**
 * What can come next. `words` by the words before: `org` has `list`, `keys` and so on. By command: `flags`, `operands`
 * and `valued`, the flags that take a value. `choices` by command and flag.
 */
type Offers = Record<'words' | 'flags' | 'operands' | 'valued' | 'choices', Map<string, string[]>>;

function offersOf(commands: Command[]): Offers {
  const offers: Offers = {
    words: new Map(),
    flags: new Map(),
    operands: new Map(),
    valued: new Map(),
    choices: new Map(),
  };
  for (const { words, flags, operand } of commands) {
    const parts = words.split(' ');
    parts.forEach((part, index) => {
      const before = parts.slice(0, index).join(' ');
      const known = offers.words.get(before) ?? [];
      if (!known.includes(part)) offers.words.set(before, [...known, part]);
    });
    const named = Object.entries(flags).map(([name, flag]) => ({ name: `--${name}`, ...flag }));
    offers.flags.set(words, [...named.map(({ name }) => name), '--help']);
    offers.valued.set(
      words,
      named.filter(({ value }) => value !== '').map(({ name }) => name),
    );
    if (operand?.choices) offers.operands.set(words, [...operand.choices]);
    for (const { name, choices } of named) if (choices) offers.choices.set(`${words} ${name}`, [...choices]);
  }
  return offers;
}

/** The words of commands and their beginnings. Any other word is an operand, such as an id. */
const positionsOf = ({ words, flags }: Offers): string[] =>
  [...new Set([...words.keys(), ...flags.keys()])].filter((position) => position !== '');

/** Shell code that sets `at` to the words of the command. bash and zsh read it in the same way. */
const findPosition = (offers: Offers): string[] => [
  '    case "$word" in -*) break ;; esac',
  `    case "\${at:+$at }$word" in`,
  `      ${positionsOf(offers)
    .map((position) => `'${position}'`)
    .join('|')}) at="\${at:+$at }$word" ;;`,
  '      *) break ;;',
  '    esac',
];

/** Shell code that sets `offered` to what can come at `current`, after `last`. Words of a command have no quotes. */
const chooseOffered = ({ words, flags, operands, valued, choices }: Offers): string[] => {
  const arms = (found: Map<string, string[]>, code: (list: string) => string): string[] =>
    [...found].map(([position, list]) => `    '${position}') ${code(list.join(' '))} ;;`);
  const freeValues = [...valued].flatMap(([position, names]) => names.map((name) => `${position} ${name}`));
  return [
    '  case "$at $last" in',
    ...arms(choices, (list) => `offered='${list}'; return`),
    `    ${freeValues.map((each) => `'${each}'`).join('|')}) return ;;`,
    '  esac',
    '  case "$current" in',
    '  -*) case "$at" in',
    ...arms(flags, (list) => `offered='${list}'`),
    '    esac ;;',
    '  *) case "$at" in',
    ...arms(new Map([...words, ...operands]), (list) => `offered='${list}'`),
    '    esac ;;',
    '  esac',
  ];
};

const bash = (offers: Offers): string =>
  [
    '# Completion of phial for bash. Load it by: source <(phial completion bash)',
    '_phial_offer() {',
    '  local word current="${COMP_WORDS[COMP_CWORD]}" last="${COMP_WORDS[COMP_CWORD-1]}" at=""',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    ...findPosition(offers),
    '  done',
    ...chooseOffered(offers),
    '}',
    '_phial() {',
    '  local offered=""',
    '  _phial_offer',
    '  COMPREPLY=($(compgen -W "$offered" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -o default -F _phial phial',
  ].join('\n');

const zsh = (offers: Offers): string =>
  [
    '#compdef phial',
    '# Completion of phial for zsh. Load it by: source <(phial completion zsh)',
    '_phial_offer() {',
    '  local word current="${words[CURRENT]}" last="${words[CURRENT-1]}" at=""',
    '  for word in "${(@)words[2,CURRENT-1]}"; do',
    ...findPosition(offers),
    '  done',
    ...chooseOffered(offers),
    '}',
    '_phial() {',
    '  local offered=""',
    '  _phial_offer',
    '  if [ -n "$offered" ]; then compadd -- ${=offered}; else _files; fi',
    '}',
    'compdef _phial phial',
  ].join('\n');

/** fish asks for each rule whether it applies, by the words before the cursor. */
const fish = (offers: Offers): string => {
  const rule = (position: string, offer: string): string => `complete -c phial -n '__phial_at "${position}"' ${offer}`;
  return [
    '# Completion of phial for fish. Load it by: phial completion fish | source',
    'function __phial_at',
    '    set -l at',
    '    for word in (commandline -opc)[2..-1]',
    `        contains -- (string trim "$at $word") ${positionsOf(offers)
      .map((position) => `'${position}'`)
      .join(' ')}; or break`,
    '        set at (string trim "$at $word")',
    '    end',
    '    test "$at" = "$argv[1]"',
    'end',
    'complete -c phial -f',
    ...[...offers.words, ...offers.operands].map(([position, list]) => rule(position, `-a '${list.join(' ')}'`)),
    ...[...offers.flags].flatMap(([position, names]) =>
      names.map((name) => {
        const choices = offers.choices.get(`${position} ${name}`);
        const takesValue = offers.valued.get(position)?.includes(name) ? ' -r' : '';
        return rule(position, `-l ${name.slice(2)}${choices ? ` -x -a '${choices.join(' ')}'` : takesValue}`);
      }),
    ),
  ].join('\n');
};
