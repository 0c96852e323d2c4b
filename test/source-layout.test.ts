import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allSources, sources } from './source-files.ts';

/** All files and folders below a folder, without installed packages and tools. */
const within = (root: string): string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((entry) => `${root}/${entry}`)
    .filter((entry) => !/\/node_modules(\/|$)|^deploy\/\.tools(\/|$)/.test(entry));

/** Every file and folder that a text may name. */
const entries = [
  'src',
  'packages',
  'dashboard',
  'examples',
  'test',
  'migrations',
  'seeds',
  'docs',
  'bench',
  'bin',
  'deploy',
  '.ci',
].flatMap((root) => [root, ...within(root)]);
entries.push(...readdirSync('.'));

const tests = ['src', 'packages', 'examples', 'test'].flatMap(within).filter((file) => file.endsWith('.test.ts'));

describe('the source layout', () => {
  test('has no file or folder with a name that means nothing', () => {
    const empty = /\/(utils?|helpers?|common|shared|misc|types|index|lib|core|managers?)(\/|\.ts$)/;
    expect(allSources.map(({ file }) => file).filter((file) => empty.test(file))).toEqual([]);
  });

  test('has only texts and settings in its root', () => {
    const files = readdirSync('.', { withFileTypes: true }).filter((entry) => entry.isFile());
    const known = /^\.|\.(md|json|ts|log)$|^(LICENSE|NOTICE)$/;
    expect(files.map(({ name }) => name).filter((name) => !known.test(name))).toEqual([]);
  });

  test('has no two migrations with the same number', () => {
    const numbers = readdirSync('migrations').flatMap((name) => /^\d{4}/.exec(name) ?? []);
    expect(numbers.filter((number, n) => numbers.indexOf(number) < n)).toEqual([]);
  });

  test('has decision records that begin with a title and are in the index', () => {
    const index = readFileSync('docs/decisions/README.md', 'utf8');
    const records = readdirSync('docs/decisions').filter((name) => name !== 'README.md');
    expect(records.filter((name) => !index.includes(`](${name})`))).toEqual([]);
    expect(records.filter((name) => !/^# [A-Z]/.test(readFileSync(`docs/decisions/${name}`, 'utf8')))).toEqual([]);
  });

  test('has operations in operations.ts and events in events.ts', () => {
    const elsewhere = sources.filter(
      ({ file, text }) =>
        (/\boperation\(\{/.test(text) && !/\boperations\.ts$/.test(file)) ||
        (/\bdefineEvent\(\{/.test(text) && !/\bevents\.ts$/.test(file)),
    );
    expect(elsewhere.map(({ file }) => file)).toEqual([]);
  });

  test('names functions that may find nothing accordingly', () => {
    const finding = /\b(?:function (find\w*)\b[\s\S]*?\): ([^\n]*) \{$|const (find\w*) = [^;]*?\): ([^=\n]*) =>)/gm;
    const found = allSources.flatMap(({ file, text }) =>
      [...text.matchAll(finding)].map(([, finder, response, constant, responseOfConstant]) => ({
        name: `${file}: ${finder ?? constant}`,
        isOpen: /\| (null|undefined)>?$/.test((response ?? responseOfConstant) as string),
      })),
    );
    expect(found.filter(({ isOpen, name }) => isOpen !== name.endsWith('OrNull'))).toEqual([]);
    expect(found.length).toBeGreaterThan(60);
  });

  test('gives functions for a team their whole context', () => {
    expect(sources.filter(({ text }) => /: Pick<(TeamCtx|LinkCtx)\b/.test(text)).map(({ file }) => file)).toEqual([]);
  });

  test('has each test beside its subject', () => {
    const folders = new Set(allSources.map(({ file }) => dirname(file)));
    const alone = tests.filter((file) => !file.startsWith('test/') && !folders.has(dirname(file)));
    expect(alone).toEqual([]);
  });
});

describe('has every path that a text names', () => {
  /**
   * A path may leave out its beginning, such as `orders/load-order.ts`. Files that a run makes, and placeholders, are
   * no paths.
   */
  const isGone = (path: string): boolean =>
    !/^(\.phial|dist)\/|^dashboard\/(dist|screenshots)$|NNNN/.test(path) &&
    !entries.some((entry) => `/${entry}/`.endsWith(`/${path.replace(/\/$/, '')}/`));
  const goneFrom = (file: string, paths: string[]): string[] => paths.filter(isGone).map((path) => `${file}: ${path}`);

  test('in documents, between backticks', () => {
    const documents = entries.filter((entry) => entry.endsWith('.md'));
    const gone = documents.flatMap((file) => {
      const quoted = [...readFileSync(file, 'utf8').matchAll(/`([^`\n]+)`/g)].map(([, text]) => text as string);
      return goneFrom(
        file,
        quoted.filter((text) => /^[\w.-]+(\/[\w.-]+)*\/?$/.test(text) && /\/|\.(ts|mjs|sql|md)$/.test(text)),
      );
    });
    expect(gone).toEqual([]);
    expect(documents.length).toBeGreaterThan(30);
  });

  test('in comments', () => {
    const path =
      /(?<![\w./-])(?:[\w-]+(?:\/[\w.-]+)*\.(?:ts|mjs|sql|md)\b|(?:src|packages|examples|test|docs|bench|migrations|seeds)\/[\w./-]*\w)/g;
    // A released migration names the paths of its time.
    const gone = entries
      .filter((entry) => entry.endsWith('.ts'))
      .flatMap((file) => {
        const comments = readFileSync(file, 'utf8').match(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm) ?? [];
        return goneFrom(file, comments.join('\n').match(path) ?? []);
      });
    expect(gone).toEqual([]);
  });
});

test('marks test files that start processes in their name, and gives them their own worker', () => {
  const starts =
    /import \{[^}]*\b(serve|startProgram|runCommand|openBrowser|spawn)\b[^}]*\} from '[./]*(test\/)?(program\.ts|browser\.ts|node:child_process)'/;
  const unnamed = tests.filter(
    (file) => starts.test(readFileSync(file, 'utf8')) && !/\.(process|browser)\.test\.ts$/.test(basename(file)),
  );
  expect(unnamed).toEqual([]);
  expect(tests.some((file) => file.endsWith('.process.test.ts'))).toBe(true);
});
