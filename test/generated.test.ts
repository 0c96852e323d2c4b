import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { envExample, optionsPage } from './generate-options.ts';
import { generateTables } from './generate-tables.ts';
import { databaseUrl } from './global-setup.ts';

test('src/db/tables.ts is what the migrated database says (npm run tables writes it anew)', () => {
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
])('%s is what the option table says (npm run options writes it anew)', (file, generate) => {
  if (process.env['UPDATE']) writeFileSync(file, generate());
  expect(readFileSync(file, 'utf8')).toBe(generate());
});

test('the lock file names no address that packages came from', () => {
  expect(readFileSync('package-lock.json', 'utf8')).not.toContain('"resolved": "http');
});
