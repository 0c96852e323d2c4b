// Each module is described in its own folder. ARCHITECTURE.md is the map, and leads to them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const linesOf = (file: string): number => readFileSync(file, 'utf8').trimEnd().split('\n').length;
const foldersIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [join(folder, entry.name)] : [],
  );
const readmes = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('README.md'))
  .map((file) => join('src', file));

test('every module has a README of at most 60 lines', () => {
  const modules = [...foldersIn('src'), ...foldersIn('src/labs'), ...foldersIn('src/wearables')];
  expect(modules.map((folder) => join(folder, 'README.md')).filter((file) => !readmes.includes(file))).toEqual([]);
  expect(readmes.filter((file) => linesOf(file) > 60)).toEqual([]);
});

test('ARCHITECTURE.md has at most 150 lines, and leads to every module', () => {
  const map = readFileSync('ARCHITECTURE.md', 'utf8');
  expect(linesOf('ARCHITECTURE.md')).toBeLessThanOrEqual(150);
  expect(foldersIn('src').filter((folder) => !map.includes(`](${folder}/README.md)`))).toEqual([]);
});

test('each link of a README of a module, of the map and of a decision record leads to a file', () => {
  const records = readdirSync('docs/decisions').map((name) => join('docs/decisions', name));
  const links = ['ARCHITECTURE.md', ...readmes, ...records].flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(([, to]) => ({ file, to: to as string })),
  );
  const broken = links.filter(({ file, to }) => !/^https?:/.test(to) && !existsSync(join(dirname(file), to)));
  expect(broken).toEqual([]);
  expect(links.length).toBeGreaterThan(200);
});
