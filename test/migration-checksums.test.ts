import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../src/db/database-server.ts';
import { readMigrationFiles } from '../src/db/migration-files.ts';

/**
 * Lines in the format of `sha256sum`. Lines are added and never changed, because databases were made from these texts.
 */
const FILE = 'test/migration-checksums.txt';

const readLines = (): string[] => readFileSync(FILE, 'utf8').split('\n').filter(Boolean);

test('a migration never changes after its release, and a new one is listed (UPDATE=1 adds its line)', async () => {
  const files = await readMigrationFiles(MIGRATIONS);
  const lineOf = new Map(files.map(({ name, checksum }) => [name, `${checksum}  ${name}`]));
  const known = readLines();
  const changed = known.filter((line) => lineOf.get(line.slice(66)) !== line);
  expect(changed, 'Restore these migrations, and write a new one instead.').toEqual([]);
  const added = [...lineOf.values()].filter((line) => !known.includes(line));
  // New lines go to the end. If lines moved, a merge of two branches would list them twice.
  if (process.env['UPDATE']) writeFileSync(FILE, `${[...new Set([...known, ...added])].join('\n')}\n`);
  const missing = [...lineOf.values()].filter((line) => !readLines().includes(line));
  expect(missing, 'Run UPDATE=1 npx vitest run test/migration-checksums.test.ts.').toEqual([]);
});

test('the changelog begins with the version of the package, and names every release by its tag', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const headings = [...readFileSync('CHANGELOG.md', 'utf8').matchAll(/^## (.+)$/gm)].map(([, text]) => text);
  const releases = version.endsWith('-dev') ? headings.slice(1) : headings;
  expect(headings[0]).toMatch(new RegExp(`^${version.replace(/-dev$/, '').replaceAll('.', '\\.')}, `));
  for (const heading of releases) expect(heading).toMatch(/^(\d+\.\d+\.\d+), tag `v\1`$/);
});
