import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sources } from './source-files.ts';

const tests = ['src', 'test']
  .flatMap((root) => readdirSync(root, { recursive: true, encoding: 'utf8' }).map((file) => `${root}/${file}`))
  .filter((file) => file.endsWith('.test.ts'));

describe('a reader finds the way', () => {
  test('no file or folder has a name that says nothing', () => {
    const empty = /\/(utils?|helpers?|common|shared|misc|types|index|lib|core|managers?)(\/|\.ts$)/;
    expect(sources.map(({ file }) => file).filter((file) => empty.test(file))).toEqual([]);
  });

  test('a folder holds at most 16 files', () => {
    const folders = sources.map(({ file }) => dirname(file)).filter((folder) => folder !== 'src');
    const filesIn = (folder: string): number => folders.filter((name) => name === folder).length;
    expect([...new Set(folders)].filter((folder) => filesIn(folder) > 16)).toEqual([]);
  });

  test('operations stand in endpoints.ts, events in events.ts', () => {
    const elsewhere = sources.filter(
      ({ file, text }) =>
        (/\bendpoint\(\{/.test(text) && !/\bendpoints\.ts$/.test(file)) ||
        (/\bdefineEvent\(\{/.test(text) && !/\bevents\.ts$/.test(file)),
    );
    expect(elsewhere.map(({ file }) => file)).toEqual([]);
  });

  test('a test lies beside what it proves', () => {
    const rooms = new Set(sources.map(({ file }) => dirname(file)));
    const alone = tests.filter((file) => file.startsWith('src/') && !rooms.has(dirname(file)));
    expect(alone).toEqual([]);
  });
});

test('a test file that starts processes says so in its name, and shares no worker with the others', () => {
  const starts =
    /from '(\.\.\/)*(\.\/|test\/)(program|browser)\.ts'|import \{[^}]*\bspawn\b[^}]*\} from 'node:child_process'/;
  const unnamed = tests.filter(
    (file) => starts.test(readFileSync(file, 'utf8')) && !/\.(process|browser)\.test\.ts$/.test(basename(file)),
  );
  expect(unnamed).toEqual([]);
  expect(tests.some((file) => file.endsWith('.process.test.ts'))).toBe(true);
});
