// A copy of the repository, in which a test follows recipes.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Check } from './checks.ts';

const FOLDERS = ['src', 'test', 'bench', 'migrations', 'seeds', 'packages', 'docs', 'examples', 'deploy'];
/** Its sources only: the build and the pictures are large. */
const DASHBOARD = ['src', 'package.json', 'tsconfig.json', 'README.md', 'tasks.md', 'vite.config.ts'];
const FILES = ['package.json', 'tsconfig.json', 'openapi.json', '.env.example', 'CONTRIBUTING.md', 'CHANGELOG.md'];

/** Makes the copy. Its node_modules has links to ours, and its own links to the copied packages. */
export function makeScratchCopy(): string {
  const folder = mkdtempSync(join(tmpdir(), 'phial-recipes-'));
  const dashboard = DASHBOARD.map((entry) => `dashboard/${entry}`);
  for (const entry of [...FOLDERS, ...FILES, ...dashboard])
    cpSync(entry, join(folder, entry), { recursive: true, verbatimSymlinks: true });
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync('node_modules').filter((name) => !name.startsWith('.') && name !== '@phial'))
    symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name));
  cpSync('node_modules/@phial', join(folder, 'node_modules/@phial'), { recursive: true, verbatimSymlinks: true });
  return folder;
}

/** `signal` ends what runs in the copy. */
export type ScratchCopy = { folder: string; signal: AbortSignal };

/** `ending` is the exit code, or the signal or error that ended the program. */
type Run = { printed: string; ending: number | string };

/** Runs a program in the copy without the variables of the test that calls it. */
function run({ folder, signal }: ScratchCopy, args: string[], env: Record<string, string> = {}): Promise<Run> {
  const passed = Object.entries(process.env).filter(([name]) => ['PATH', 'HOME', 'TMPDIR'].includes(name));
  const options = { cwd: folder, signal, env: { ...Object.fromEntries(passed), ...env }, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((done) => {
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      const ending = error ? (error.code ?? error.signal ?? error.message) : 0;
      done({ printed: stdout + stderr, ending });
    });
  });
}

/** Type-checks the program and these files. The other tests would double the time. Returns the problems. */
export async function typeCheck(copy: ScratchCopy, files: readonly string[]): Promise<string[]> {
  const config = {
    extends: './tsconfig.json',
    compilerOptions: { incremental: false, noEmit: true },
    files: files.filter((file) => file.endsWith('.ts')),
    include: ['src'],
    exclude: ['**/*.test.ts'],
  };
  writeFileSync(join(copy.folder, 'tsconfig.recipes.json'), JSON.stringify(config));
  const args = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.recipes.json', '--singleThreaded'];
  const { printed, ending } = await run(copy, args);
  const problems = printed.split('\n').filter(Boolean);
  return problems.length === 0 && ending !== 0 ? [`tsc ended with ${ending} and printed nothing.`] : problems;
}

type Report = {
  testResults: {
    name: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
};

/** Runs the checks with UPDATE=1 and RECORD_ANSWERS=1, one after the other. Returns the problems. */
export async function runChecks(copy: ScratchCopy, checks: readonly Check[], serverUrl: string): Promise<string[]> {
  const { folder } = copy;
  const files = checks.map(({ file }) => file);
  const report = join(folder, 'report.json');
  writeFileSync(join(folder, 'vitest.config.ts'), configOf(files));
  const title = checks.map((check) => `(?:${check.title})`).join('|');
  const args = ['node_modules/vitest/vitest.mjs', 'run', '-t', title, '--reporter=json', `--outputFile=${report}`];
  const env = { UPDATE: '1', RECORD_ANSWERS: '1', PHIAL_TEST_DATABASE_URL: serverUrl };
  const { printed, ending } = await run(copy, args, env);
  let results: Report['testResults'];
  try {
    results = (JSON.parse(readFileSync(report, 'utf8')) as Report).testResults;
  } catch {
    return [`The tests did not run. They ended with ${ending}: ${printed}`];
  }
  const failed = results.flatMap(({ name, message, assertionResults }) => [
    ...(message ? [`${name}: ${message}`] : []),
    ...assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => `${name}: ${fullName}\n${failureMessages.join('\n')}`),
  ]);
  return [...failed, ...checks.flatMap((check) => problemOfCheck(check, results))];
}

/** A title that matches no test would check nothing. */
function problemOfCheck({ file, title }: Check, results: Report['testResults']): string[] {
  const found = results.find(({ name }) => name.endsWith(`/${file}`))?.assertionResults ?? [];
  const ran = found.some(({ fullName, status }) => status !== 'skipped' && new RegExp(title).test(fullName));
  return ran ? [] : [`No test of ${file} ran whose title matches ${title}.`];
}

/** Vitest sorts files by their durations. We keep the order, because some tests read what others write. */
const configOf = (files: readonly string[]): string => `
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

const FILES = ${JSON.stringify(files)};
class InOrder extends BaseSequencer {
  sort(specs) {
    const position = ({ moduleId }) => FILES.findIndex((file) => moduleId.endsWith('/' + file));
    return Promise.resolve(specs.toSorted((one, other) => position(one) - position(other)));
  }
}

export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts'],
    include: FILES,
    isolate: false,
    maxWorkers: 1,
    sequence: { sequencer: InOrder },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000, interval: 20 } },
  },
});
`;
