import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allSources, sources } from './source-files.ts';

/** Every file and folder that a text may point to. */
const places = ['src', 'packages', 'examples', 'test', 'migrations', 'seeds', 'docs', 'bench', 'bin', '.ci'].flatMap(
  (root) => [root, ...readdirSync(root, { recursive: true, encoding: 'utf8' }).map((place) => `${root}/${place}`)],
);
places.push(...readdirSync('.'));

const tests = ['src', 'packages', 'examples', 'test']
  .flatMap((root) => readdirSync(root, { recursive: true, encoding: 'utf8' }).map((file) => `${root}/${file}`))
  .filter((file) => file.endsWith('.test.ts'));

describe('a reader finds the way', () => {
  test('no file or folder has a name that says nothing', () => {
    const empty = /\/(utils?|helpers?|common|shared|misc|types|index|lib|core|managers?)(\/|\.ts$)/;
    expect(allSources.map(({ file }) => file).filter((file) => empty.test(file))).toEqual([]);
  });

  test('a folder holds at most 20 files', () => {
    const folders = allSources.map(({ file }) => dirname(file)).filter((folder) => folder !== 'src');
    const filesIn = (folder: string): number => folders.filter((name) => name === folder).length;
    expect([...new Set(folders)].filter((folder) => filesIn(folder) > 20)).toEqual([]);
  });

  test('a number names one migration, and one decision', () => {
    for (const folder of ['migrations', 'docs/decisions']) {
      const numbers = readdirSync(folder).flatMap((name) => /^\d{4}/.exec(name) ?? []);
      expect(numbers.filter((number, n) => numbers.indexOf(number) < n)).toEqual([]);
    }
  });

  test('a decision begins with its number and what was decided', () => {
    const otherwise = readdirSync('docs/decisions').filter((name) => {
      const [heading = ''] = readFileSync(`docs/decisions/${name}`, 'utf8').split('\n');
      return !/^# \d+\. \S/.test(heading) || Number(heading.slice(2).split('.')[0]) !== Number(name.slice(0, 4));
    });
    expect(otherwise).toEqual([]);
  });

  test('operations stand in endpoints.ts, events in events.ts', () => {
    const elsewhere = sources.filter(
      ({ file, text }) =>
        (/\bendpoint\(\{/.test(text) && !/\bendpoints\.ts$/.test(file)) ||
        (/\bdefineEvent\(\{/.test(text) && !/\bevents\.ts$/.test(file)),
    );
    expect(elsewhere.map(({ file }) => file)).toEqual([]);
  });

  test('what finds, and may find nothing, says so by its name', () => {
    const finding = /\b(?:function (find\w*)\b[\s\S]*?\): ([^\n]*) \{$|const (find\w*) = [^;]*?\): ([^=\n]*) =>)/gm;
    const found = allSources.flatMap(({ file, text }) =>
      [...text.matchAll(finding)].map(([, verb, answer, constant, told]) => ({
        verb: `${file}: ${verb ?? constant}`,
        isOpen: /\| (null|undefined)>?$/.test((answer ?? told) as string),
      })),
    );
    expect(found.filter(({ isOpen, verb }) => isOpen !== verb.endsWith('OrNull'))).toEqual([]);
    expect(found.length).toBeGreaterThan(60);
  });

  test('the document of the service has the names of the shapes of every room', () => {
    const document = sources.find(({ file }) => file === 'src/openapi.ts')?.text ?? '';
    const rooms = sources.map(({ file }) => file).filter((file) => file.endsWith('/schemas.ts'));
    const nameless = rooms.filter((file) => !document.includes(`'./${file.slice('src/'.length)}'`));
    expect(nameless).toEqual(['src/http/openapi/schemas.ts']);
  });

  test('what works for a team takes its context whole', () => {
    expect(sources.filter(({ text }) => /: Pick<(TeamCtx|LinkCtx)\b/.test(text)).map(({ file }) => file)).toEqual([]);
  });

  test('a test lies beside what it proves', () => {
    const rooms = new Set(allSources.map(({ file }) => dirname(file)));
    const alone = tests.filter((file) => !file.startsWith('test/') && !rooms.has(dirname(file)));
    expect(alone).toEqual([]);
  });
});

describe('what a text points to is there', () => {
  /** A path may leave out how it begins, as `orders/load.ts`; what a run makes and what only stands for a name is none. */
  const isGone = (path: string): boolean =>
    !/^(\.phial|dist)\/|NNNN/.test(path) &&
    !places.some((place) => `/${place}/`.endsWith(`/${path.replace(/\/$/, '')}/`));
  const goneFrom = (file: string, paths: string[]): string[] => paths.filter(isGone).map((path) => `${file}: ${path}`);

  test('in documents, between backticks', () => {
    const documents = places.filter((place) => place.endsWith('.md'));
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
    const gone = places
      .filter((place) => /\.(ts|sql)$/.test(place))
      .flatMap((file) => {
        const comment = file.endsWith('.sql') ? /--.*$/gm : /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm;
        const comments = readFileSync(file, 'utf8').match(comment) ?? [];
        return goneFrom(file, comments.join('\n').match(path) ?? []);
      });
    expect(gone).toEqual([]);
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
