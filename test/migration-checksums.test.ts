import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../src/db/place.ts';
import { readMigrationFiles } from '../src/db/migration-files.ts';

/** Lines as `sha256sum` writes them. Lines are added and never changed: databases were made by these texts. */
const FILE = 'test/migration-checksums.txt';

const readLines = (): string[] => readFileSync(FILE, 'utf8').split('\n').filter(Boolean);

test('a migration that has landed stands as it was, and a new one is written down (UPDATE=1 adds its line)', async () => {
  const files = await readMigrationFiles(MIGRATIONS);
  const lineOf = new Map(files.map(({ name, checksum }) => [name, `${checksum}  ${name}`]));
  const known = readLines();
  const changed = known.filter((line) => lineOf.get(line.slice(66)) !== line);
  expect(changed, 'Put these migrations back as they were, and write a new one instead.').toEqual([]);
  const added = [...lineOf.values()].filter((line) => !known.includes(line));
  // At the end, as they come: lines that move would be there twice once two branches are joined.
  if (process.env['UPDATE']) writeFileSync(FILE, `${[...new Set([...known, ...added])].join('\n')}\n`);
  const missing = [...lineOf.values()].filter((line) => !readLines().includes(line));
  expect(missing, 'Run UPDATE=1 npx vitest run test/migration-checksums.test.ts.').toEqual([]);
});

test('the changelog begins with the version of the package, and tells every release by its tag', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const headings = [...readFileSync('CHANGELOG.md', 'utf8').matchAll(/^## (.+)$/gm)].map(([, text]) => text);
  const releases = version.endsWith('-dev') ? headings.slice(1) : headings;
  expect(headings[0]).toMatch(new RegExp(`^${version.replace(/-dev$/, '').replaceAll('.', '\\.')}, `));
  for (const heading of releases) expect(heading).toMatch(/^(\d+\.\d+\.\d+), tag `v\1`$/);
});
