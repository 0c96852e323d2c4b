import { parseArgs } from 'node:util';
import { nearest } from '../config/nearest.ts';
import { isUuid } from '../ids.ts';
import { UsageError, type Command, type Group } from './command.ts';

/**
 * A command line that was read: a command with its values, or a request for help on a command, a group of commands or
 * all commands.
 */
export type ParsedCommandLine = { command: Command; values: Record<string, unknown> } | { help: Command[] };

/** Reads the words after the program's name. Throws UsageError, which suggests the most similar word. */
export function readCommandLine(args: string[], commands: Command[], groups: Group[] = []): ParsedCommandLine {
  const wantsHelp = args[0] === 'help' || args.includes('--help') || args.includes('-h');
  const line = args[0] === 'help' ? args.slice(1) : args;
  const firstFlag = line.findIndex((word) => word.startsWith('-'));
  // If a line has flags but no command, the flags are for serve, which is the default command.
  const words = firstFlag === -1 ? line : line.slice(0, firstFlag);
  if (wantsHelp) return { help: words.length === 0 ? commands : findGroup(words, commands, groups) };
  const command = words.length === 0 ? (commands[0] as Command) : findCommand(words, commands);
  const length = words.length === 0 ? 0 : command.words.split(' ').length;
  return { command, values: readFlags(command, line.slice(length)) };
}

/** Returns the command whose words are the first words of the line. */
function findCommand(words: string[], commands: Command[]): Command {
  const found = commands.find((command) => startsWith(words, command.words));
  if (found) return found;
  const group = commands.filter((command) => startsWith(command.words.split(' '), words.join(' ')));
  if (group.length > 0) {
    throw new UsageError(
      `phial ${words.join(' ')} is not all: ${group.map(({ words: w }) => `phial ${w}`).join(', ')}.`,
    );
  }
  const meant =
    commands.find(({ insteadOf }) => insteadOf?.includes(words.join(' ')))?.words ??
    nearest(
      words.join(' '),
      commands.map(({ words: w }) => w),
    );
  throw new UsageError(
    `There is no command ${JSON.stringify(words.join(' '))}.` +
      (meant ? ` Did you mean phial ${meant}?` : ' phial --help lists them all.'),
  );
}

/** Returns the command with these words, or every command that starts with them, or the commands of this group. */
function findGroup(words: string[], commands: Command[], groups: Group[]): Command[] {
  const group = commands.filter((command) => startsWith(command.words.split(' '), words.join(' ')));
  const named = groups.find(({ name }) => name === words.join(' '));
  if (group.length === 0 && named) return named.commands;
  return group.length > 0 ? group : [findCommand(words, commands)];
}

const startsWith = (words: string[], beginning: string): boolean =>
  beginning.split(' ').every((word, index) => words[index] === word);

function readFlags(command: Command, args: string[]): Record<string, unknown> {
  const names = Object.keys(command.flags);
  const nameOf = new Map(
    Object.entries(command.flags).flatMap(([name, { aliases = [] }]) => [name, ...aliases].map((each) => [each, name])),
  );
  const { tokens } = parseArgs({
    args,
    options: Object.fromEntries(
      [...nameOf].map(([each, name]) => [
        each,
        { type: command.flags[name]?.value === '' ? ('boolean' as const) : ('string' as const) },
      ]),
    ),
    strict: false,
    tokens: true,
  });
  const values: Record<string, unknown> = {};
  for (const token of tokens) {
    if (token.kind === 'positional') {
      values['operand'] = readOperand(command, token.value, values['operand']);
      continue;
    }
    if (token.kind !== 'option') continue;
    const { rawName, value, inlineValue } = token;
    const name = nameOf.get(token.name);
    const flag = name === undefined ? undefined : command.flags[name];
    if (name === undefined || !flag) refuse(command, `takes no ${rawName}`, nearest(token.name, names));
    if (flag.value === '') {
      if (value !== undefined) refuse(command, `takes ${rawName} without a value`);
      values[name] = true;
      continue;
    }
    if (!value || (!inlineValue && /^-(?!\d)/.test(value))) refuse(command, `needs ${rawName} ${flag.value}`);
    if (flag.choices && !flag.choices.includes(value)) {
      refuse(command, `takes ${flag.choices.join(', ')} as ${rawName}, not ${JSON.stringify(value)}`);
    }
    if (flag.isId && !isUuid(value)) refuse(command, `takes an id as ${rawName}, not ${JSON.stringify(value)}`);
    if (flag.isDay && !isDay(value)) {
      refuse(command, `takes a day, such as 2026-01-31, as ${rawName}, not ${JSON.stringify(value)}`);
    }
    if (flag.repeated) values[name] = [...((values[name] as string[] | undefined) ?? []), value];
    else if (name in values) refuse(command, `takes ${rawName} once`);
    else values[name] = value;
  }
  if (command.operand?.required && !values['operand']) refuse(command, `needs ${command.operand.name}`);
  for (const [name, flag] of Object.entries(command.flags)) {
    if (flag.required && !(name in values)) refuse(command, `needs --${name} ${flag.value}`);
    values[name] ??= flag.value === '' ? false : flag.repeated ? [] : flag.default;
  }
  return values;
}

function readOperand({ operand, ...command }: Command, value: string, before: unknown): string {
  if (!operand || before !== undefined) refuse(command, `takes no word ${JSON.stringify(value)}`);
  if (value === '') refuse(command, `needs ${operand.name}`);
  if (operand.choices && !operand.choices.includes(value)) {
    const choices = operand.choices.join(', ');
    refuse(command, `takes ${choices} as ${operand.name}, not ${JSON.stringify(value)}`);
  }
  return value;
}

const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;

function refuse(command: Pick<Command, 'words'>, problem: string, meant: string | null = null): never {
  throw new UsageError(
    `phial ${command.words} ${problem}.${meant ? ` Did you mean --${meant}?` : ''} See phial ${command.words} --help.`,
  );
}
