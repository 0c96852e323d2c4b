import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { COMMANDS, GROUPS } from './commands.ts';
import { command, UsageError, type Command } from './command.ts';
import { readCommandLine } from './command-line.ts';
import { helpOn, helpOnAll } from './help.ts';

const run = (): Promise<number> => Promise.resolve(0);
const examples = ['phial one', 'phial two'] as const;
const tools: Command[] = [
  command({ words: 'serve', insteadOf: ['start'], summary: 'Serve.', examples, flags: {}, run }),
  command({
    words: 'keys list',
    summary: 'List keys.',
    examples,
    flags: { org: { value: 'ID', meaning: 'Whose.', required: true } },
    run,
  }),
  command({
    words: 'keys create',
    summary: 'Make a key.',
    examples: ['phial keys create --org ID', 'phial keys create --org ID --role admin'],
    flags: {
      org: { value: 'ID', meaning: 'Whose.', required: true },
      team: { value: 'ID', meaning: 'Bound to it.', repeated: true },
      role: { value: 'ROLE', meaning: 'Its role.', choices: ['admin', 'reader'], default: 'reader', aliases: ['as'] },
    },
    run,
  }),
  command({
    words: 'drop',
    summary: 'Drop a key.',
    examples,
    operand: { name: 'STYLE', meaning: 'How.', choices: ['softly', 'hard'] },
    flags: {
      id: { value: 'ID', meaning: 'Which.', isId: true },
      day: { value: 'DAY', meaning: 'When.', isDay: true },
    },
    run,
  }),
];

const read = (line: string) => {
  const asked = readCommandLine(line.split(' ').filter(Boolean), tools);
  return 'help' in asked
    ? { help: asked.help.map(({ words }) => words) }
    : { ...asked.values, words: asked.command.words };
};
const refusal = (line: string): string => {
  try {
    read(line);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as Error).message;
  }
  throw new Error(`"${line}" was taken`);
};

describe('a command line', () => {
  test('accepts another name of a flag, which the help does not show, and each flag once', () => {
    expect(read('keys create --org 7 --as admin')).toMatchObject({ org: '7', role: 'admin' });
    expect(read('keys create --org 7 --as admin')).not.toHaveProperty('as');
    expect(refusal('keys create --org 7 --as admin --role reader')).toContain('takes --role once');
    expect(refusal('keys create --org 7 --as nobody')).toContain('takes admin, reader as --as');
    expect(helpOn(tools.slice(2, 3))).not.toContain('--as');
  });

  test('accepts a space or an equals sign after a flag, and fills in defaults', () => {
    expect(read('keys create --org 1 --team=a --team b')).toEqual({
      words: 'keys create',
      org: '1',
      team: ['a', 'b'],
      role: 'reader',
    });
  });

  test('accepts one word that is no flag, if the command takes one', () => {
    expect(read('drop softly --day 2026-01-31')).toMatchObject({ words: 'drop', operand: 'softly', day: '2026-01-31' });
    expect(read('drop --day 2026-01-31 hard')).toMatchObject({ words: 'drop', operand: 'hard' });
    expect(read('drop')).toMatchObject({ words: 'drop' });
  });

  test('without words means serve', () => {
    expect(read('')).toEqual({ words: 'serve' });
  });

  test.each([
    ['keys creat --org 1', 'There is no command "keys creat". Did you mean phial keys create?'],
    ['dance', 'There is no command "dance". phial --help lists them all.'],
    ['keys', 'phial keys is not all: phial keys list, phial keys create.'],
    ['keys create --ogr 1', 'phial keys create takes no --ogr. Did you mean --org? See phial keys create --help.'],
    ['keys create -o 1', 'phial keys create takes no -o. Did you mean --org? See phial keys create --help.'],
    ['keys create --toString 1', 'phial keys create takes no --toString. See phial keys create --help.'],
    ['keys list 1', 'phial keys list takes no word "1". See phial keys list --help.'],
    ['keys list --org 1 -- 2', 'phial keys list takes no word "2". See phial keys list --help.'],
    ['keys list', 'phial keys list needs --org ID. See phial keys list --help.'],
    ['keys list --org', 'phial keys list needs --org ID. See phial keys list --help.'],
    ['keys list --org=', 'phial keys list needs --org ID. See phial keys list --help.'],
    ['keys create --org --team a', 'phial keys create needs --org ID. See phial keys create --help.'],
    ['keys list --org 1 --org 2', 'phial keys list takes --org once. See phial keys list --help.'],
    [
      'keys create --org 1 --role king',
      'phial keys create takes admin, reader as --role, not "king". See phial keys create --help.',
    ],
    ['drop hard softly', 'phial drop takes no word "softly". See phial drop --help.'],
    ['drop it', 'phial drop takes softly, hard as STYLE, not "it". See phial drop --help.'],
    ['drop --id 7', 'phial drop takes an id as --id, not "7". See phial drop --help.'],
    [
      'drop --day 2026-02-30',
      'phial drop takes a day, such as 2026-01-31, as --day, not "2026-02-30". See phial drop --help.',
    ],
    ['start', 'There is no command "start". Did you mean phial serve?'],
    ['start --help', 'There is no command "start". Did you mean phial serve?'],
    ['--port 1', 'phial serve takes no --port. See phial serve --help.'],
  ])('%s is refused', (line, message) => {
    expect(refusal(line)).toBe(message);
  });

  test.each([
    ['help', ['serve', 'keys list', 'keys create', 'drop']],
    ['--help', ['serve', 'keys list', 'keys create', 'drop']],
    ['keys -h', ['keys list', 'keys create']],
    ['help keys create', ['keys create']],
    ['keys create --org 1 --help', ['keys create']],
  ])('with %s asks for help', (line, help) => {
    expect(read(line)).toEqual({ help });
  });
});

test('help on one command lists its flags, choices and defaults', () => {
  expect(helpOn([tools[2] as Command])).toBe(
    [
      '  phial keys create --org ID',
      '  phial keys create --org ID --role admin',
      '',
      'phial keys create --org ID [--team ID…] [--role ROLE]',
      '',
      'Make a key.',
      '',
      '  --org ID                      Whose.',
      '  --team ID                     Bound to it. May be repeated.',
      '  --role ROLE                   Its role. One of admin, reader. Default: reader.',
      '',
      'Options come from the environment and from .env. .env.example lists them.',
      'Exit codes: 0 done, 1 failed or something needs a person, 2 the command line is wrong and nothing was done.',
    ].join('\n'),
  );
});

test.each([
  ['org --help', 'phial org COMMAND [flags]', 'phial org COMMAND --help'],
  ['org keys --help', 'phial org keys COMMAND [flags]', 'phial org keys COMMAND --help'],
  ['help laboratories', 'phial COMMAND [flags]', 'phial COMMAND --help'],
])('help with %s begins with examples, and has "%s"', (line, heading, more) => {
  const asked = readCommandLine(line.split(' '), COMMANDS, GROUPS);
  const text = 'help' in asked ? helpOn(asked.help) : '';
  expect(text).toMatch(/^ {2}phial .*\n {2}phial /);
  expect(text).toContain(`\n${heading}\n`);
  expect(text).toContain(`\n${more} lists the flags of a command.`);
});

test('help on all commands names every command, in at most 45 lines of 100 columns', () => {
  const lines = helpOnAll(GROUPS).split('\n');
  expect(lines.length).toBeLessThanOrEqual(45);
  expect(lines.filter((line) => line.length > 120)).toEqual([]);
  const named = lines
    .filter((line) => line.startsWith('      '))
    .flatMap((line) => line.trim().split(/,(?: |$)/))
    .filter(Boolean)
    .flatMap((name) => {
      const at = name.lastIndexOf(' ') + 1;
      return name
        .slice(at)
        .split('|')
        .map((last) => name.slice(0, at) + last);
    });
  expect(named.toSorted()).toEqual(COMMANDS.map(({ words }) => words).toSorted());
});

test.each(COMMANDS.map((each) => [each.words, each] as const))(
  'help on %s begins with command lines that the program accepts',
  (words, each) => {
    const lines = each.examples.map(
      (line) => /(?:^|[ (])phial(.*?)(?: > .*|\))?$/.exec(line)?.[1]?.trim() ?? 'no phial',
    );
    const read = lines.map((line) => {
      const typed = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, one, two, plain]) => one ?? two ?? plain);
      return readCommandLine(
        typed.map((word) => (word === 'ID' ? AN_ID : (word as string))),
        COMMANDS,
      );
    });
    expect(read.some((one) => 'command' in one && one.command.words === words)).toBe(true);
    expect(read.every((one) => 'command' in one)).toBe(true);
    const help = helpOn([each]);
    expect(help.startsWith(`  ${each.examples[0]}\n  ${each.examples[1]}\n`)).toBe(true);
    expect(help.split('\n').filter((line) => line.length > 120)).toEqual([]);
  },
);

const OPERATE = 'docs/operate';
const PAGES = readdirSync(OPERATE).map((name) => `${OPERATE}/${name}`);
const GUIDES = readdirSync('docs/guides').map((name) => `docs/guides/${name}`);
const AN_ID = '00000000-0000-7000-8000-000000000001';
/** The words of each command line in these documents. A shell variable whose name ends in _ID stands for an id. */
const linesIn = (files: string[]): string[][] =>
  files
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/node (?:--[\w=-]+ )?bin\/phial\.mjs ([^`\n\\>]+)/g)])
    .map((match) =>
      [...(match[1] as string).matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => {
        const word = quoted ?? (plain as string);
        return word === 'ID' || /^\$\w+_ID$/.test(word) ? AN_ID : word;
      }),
    );
const commandsIn = (files: string[]): Set<string> =>
  new Set(
    linesIn(files).map((line) => {
      const asked = readCommandLine(line, COMMANDS, GROUPS);
      return 'help' in asked ? 'help' : asked.command.words;
    }),
  );

test('the pages for operators show every command, and the program accepts each command line of a document', () => {
  const documented = commandsIn(PAGES);
  const forIntegrators = new Set(['listen', 'mcp', 'openapi']);
  const untold = COMMANDS.map(({ words }) => words).filter((words) => !documented.has(words));
  expect(untold.filter((words) => !forIntegrators.has(words))).toEqual([]);
  expect([...commandsIn([...GUIDES, 'README.md'])]).toContain('listen');
});

test('the command line makes a management key for one team only', () => {
  const ids = ['01940000-0000-7000-8000-000000000001', '01940000-0000-7000-8000-000000000002'] as const;
  const line = ['org', 'keys', 'create', '--org', ids[0], '--label', 'x', '--team', ids[0], '--team', ids[1]];
  expect(() => readCommandLine(line, COMMANDS)).toThrow('phial org keys create takes --team once');
});
