// Prettier breaks code at 120 columns, but neither comments nor texts.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const COLUMNS = 120;

/** Lists with an entry a line, where a break would change what is listed, files of other formats, generated files. */
const LISTS = new Set([
  'packages/client/src/schema.ts',
  'src/insurance/diagnoses/codes-a-to-i.ts',
  'src/insurance/diagnoses/codes-j-to-z.ts',
  'src/labs/results/parser/match/common-analytes.ts',
  'test/workout-files.ts',
]);

const files = ['src', 'packages', 'dashboard/src', 'examples', 'test', 'bench']
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`))
  .filter((file) => /\.tsx?$/.test(file) && !file.includes('/node_modules/') && !LISTS.has(file));
const longLines = files.flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, n) => (line.length > COLUMNS ? [{ at: `${file}:${n + 1}`, line: line.trim() }] : [])),
);

const isUrl = (line: string): boolean => /^(\/\/|\*|\/\*\*) \S+$|https?:\/\/\S{60,}|\?\w+=\S{40,}/.test(line);
/** A regular expression, a pattern or a text in one piece; oxlint wants no literals joined by `+`. */
const isOneLiteral = (line: string): boolean =>
  !/^(\/\/|\*|\/\*)/.test(line) && /^(\w+: |String\.raw)?[/'`\\].*([/'`]\w*[,;)]*|`)$|relname ~|^\\`/.test(line);

test('no comment is longer than 120 columns, unless it is a URL', () => {
  const comments = longLines.filter(({ line }) => /^(\/\/|\*|\/\*)/.test(line) && !isUrl(line));
  expect(comments.map(({ at }) => at)).toEqual([]);
});

test('no line of code is longer than 120 columns, unless it is one literal', () => {
  const code = longLines.filter(({ line }) => !/^(\/\/|\*|\/\*)/.test(line) && !isUrl(line) && !isOneLiteral(line));
  expect(code.map(({ at }) => at)).toEqual([]);
  expect(longLines.length).toBeLessThan(50);
});
