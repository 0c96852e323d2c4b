import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { drawResults } from '../bench/draw-results.ts';
import { errorPage } from './generate-error-page.ts';
import { envExample, optionsPage } from './generate-options.ts';
import { generateTables } from './generate-tables.ts';
import { databaseUrl } from './global-setup.ts';

test('src/db/tables.ts matches the migrated database (npm run tables writes it again)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'phial-tables-'));
  try {
    const file = join(folder, 'tables.ts');
    generateTables(databaseUrl(inject('serverUrl'), inject('template')), file);
    if (process.env['UPDATE']) generateTables(databaseUrl(inject('serverUrl'), inject('template')), 'src/db/tables.ts');
    expect(readFileSync('src/db/tables.ts', 'utf8')).toBe(readFileSync(file, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each([
  ['docs/operate/options.md', optionsPage],
  ['.env.example', envExample],
])('%s matches the option table (npm run options writes it again)', (file, generate) => {
  if (process.env['UPDATE']) writeFileSync(file, generate());
  expect(readFileSync(file, 'utf8')).toBe(generate());
});

test('docs/guides/errors-by-code.md matches the table of codes (npm run interface writes it again)', () => {
  if (process.env['UPDATE']) writeFileSync('docs/guides/errors-by-code.md', errorPage());
  expect(readFileSync('docs/guides/errors-by-code.md', 'utf8')).toBe(errorPage());
});

test('bench/results.svg is the picture of bench/results.csv (npm run bench:picture draws it again)', () => {
  const picture = drawResults(readFileSync('bench/results.csv', 'utf8'));
  if (process.env['UPDATE']) writeFileSync('bench/results.svg', picture);
  expect(readFileSync('bench/results.svg', 'utf8')).toBe(picture);
});

test('the lock file names no address of a package', () => {
  expect(readFileSync('package-lock.json', 'utf8')).not.toContain('"resolved": "http');
});
