import { readdirSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../src/package-root.ts';

const PROGRAM = join(PACKAGE_ROOT, 'dist/program');

/** The line of a text in a file, counted from 1, and its column, counted from 0. */
function positionOf(text: string, file: string): { line: number; column: number } {
  const before = readFileSync(file, 'utf8').split(text, 1)[0] as string;
  const lines = before.split('\n');
  return { line: lines.length, column: (lines.at(-1) as string).length };
}

test('the built program is one bundle, whose source map leads a stack trace to the line of the source', () => {
  const bundles = readdirSync(PROGRAM).filter((name) => name.endsWith('.js'));
  for (const [text, source] of [
    ['`Phial cannot go on: ', 'src/main.ts'],
    ['There is no format ', 'src/http/input/validation.ts'],
  ] as const) {
    const bundle = bundles.find((name) => readFileSync(join(PROGRAM, name), 'utf8').includes(text)) as string;
    const map = new SourceMap(JSON.parse(readFileSync(join(PROGRAM, `${bundle}.map`), 'utf8')) as never);
    const { line, column } = positionOf(text, join(PROGRAM, bundle));
    const found = map.findEntry(line - 1, column) as { originalSource: string; originalLine: number };
    expect([found.originalSource.replace(/^(\.\.\/)+/, ''), found.originalLine + 1]).toEqual([
      source,
      positionOf(text, join(PACKAGE_ROOT, source)).line,
    ]);
  }
});

test.each(['bin/start.mjs', 'bin/phial.mjs'])('%s has stack traces name the sources', (file) => {
  expect(readFileSync(join(PACKAGE_ROOT, file), 'utf8')).toMatch(/^process\.setSourceMapsEnabled\(true\);/m);
});
