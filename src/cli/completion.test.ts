import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { endPrograms, makeFolder } from '../../test/program.ts';
import { runHere } from '../../test/run-here.ts';
import { COMMANDS } from './commands.ts';

afterAll(endPrograms);

const COMMANDS_OF_PHIAL = [...new Set(COMMANDS.map(({ words }) => words.split(' ')[0] as string))];
const BETAS = ['continuous_queries', 'etl_pipelines', 'lab_report_parser'];

/** Each line of a shell, with what the shell offers at its end. */
const LINES: [line: string, offers: string[]][] = [
  ['phial ', COMMANDS_OF_PHIAL],
  ['phial work', ['worker']],
  ['phial org ', ['list', 'set-plan', 'keys', 'invites']],
  ['phial org keys ', ['list', 'create', 'revoke']],
  ['phial org keys create --la', ['--label']],
  ['phial team open-beta --beta ', BETAS],
  ['phial team open-beta --org 7 --beta lab', ['lab_report_parser']],
  ['phial completion ', ['bash', 'zsh', 'fish']],
  ['phial completion bash --h', ['--help']],
];

const isMissing = (shell: string): string => (spawnSync(shell, ['--version']).error ? ` (skipped: no ${shell})` : '');

async function scriptFor(shell: string): Promise<string> {
  const { code, stdout } = await runHere(['completion', shell]);
  expect(code).toBe(0);
  const file = join(makeFolder(), `phial.${shell}`);
  writeFileSync(file, stdout);
  return file;
}

const run = (shell: string, args: string[]): string[] =>
  execFileSync(shell, args, { encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: makeFolder() } })
    .split('\n')
    .filter(Boolean)
    .toSorted();

describe.skipIf(isMissing('bash'))(`in bash${isMissing('bash')}`, () => {
  test.each(LINES)('"%s" offers what can follow', async (line, offers) => {
    const words = line.split(' ');
    const typed = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}`;
    const file = await scriptFor('bash');
    const offered = run('bash', [
      '--norc',
      '-c',
      `source ${file}; ${typed}; _phial; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ]);
    expect(offered).toEqual(offers.toSorted());
  });
});

describe.skipIf(isMissing('zsh'))(`in zsh${isMissing('zsh')}`, () => {
  test.each(LINES)('"%s" offers what can follow', async (line, offers) => {
    const typed = line.split(' ');
    const file = await scriptFor('zsh');
    // The completion system runs at a terminal only, so the function is called as that system does.
    const code = [
      'compdef() { : }; compadd() { shift; print -l -- "$@" }; _files() { : }',
      `source ${file}; words=(${typed.map((word) => `'${word}'`).join(' ')}); CURRENT=${typed.length}; _phial`,
    ].join('; ');
    const offered = run('zsh', ['-f', '-c', code]).filter((word) => word.startsWith(typed.at(-1) as string));
    expect(offered).toEqual(offers.toSorted());
  });
});

describe.skipIf(isMissing('fish'))(`in fish${isMissing('fish')}`, () => {
  test.each(LINES)('"%s" offers what can follow', async (line, offers) => {
    const file = await scriptFor('fish');
    const offered = run('fish', ['--no-config', '-c', `source ${file}; complete --do-complete '${line}'`]);
    expect(offered.map((word) => word.split('\t')[0]).filter((word) => word !== '-h')).toEqual(offers.toSorted());
  });
});
