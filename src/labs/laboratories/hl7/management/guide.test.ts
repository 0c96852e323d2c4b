// Tests that the tables of docs/guides/repair-messages.md have exactly the codes of the source.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../../../../package-root.ts';

const LABS = join(PACKAGE_ROOT, 'src/labs');
const CODEC = join(PACKAGE_ROOT, 'packages/hl7/src');
const MESSAGE = join(CODEC, 'message.ts');
const guide = readFileSync(join(PACKAGE_ROOT, 'docs/guides/repair-messages.md'), 'utf8');
const sources = [LABS, CODEC]
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => readFileSync(join(folder, file), 'utf8')),
  )
  .join('\n');

/** The codes in the first column of each table of the guide. The keys are the headings above the tables. */
const tables = new Map(
  guide.split('\n## ').map((section) => [
    section.split('\n', 1)[0] as string,
    section
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .flatMap((line) =>
        [...(line.split('|')[1] as string).matchAll(/`([a-z0-9_…]+)`/g)].map(([, code]) => code as string),
      ),
  ]),
);
const listed = [...tables.values()].flat();

const listIn = (file: string, name: string): string[] => {
  const text = readFileSync(resolve(LABS, 'laboratories/hl7', file), 'utf8');
  const list = new RegExp(`(?:const|type) ${name}\\b[^=]*=([^;]*);`).exec(text)?.[1] ?? '';
  return [...list.matchAll(/'([a-z0-9_]+)'/g)].map(([, code]) => code as string);
};
const thrownAs = (name: string): string[] =>
  [...sources.matchAll(new RegExp(`${name}\\('([a-z0-9_]+)'`, 'g'))].map(([, code]) => code as string);

test('each reason and warning of the source is in a table of the guide', () => {
  const problems = 'messages/result-problem.ts';
  const lists = [
    listIn(problems, 'REJECTED'),
    listIn(problems, 'REPAIRABLE'),
    listIn(problems, 'Warning'),
    listIn(MESSAGE, 'Hl7Warning'),
    listIn(MESSAGE, 'Hl7Problem'),
    listIn('inbox/apply-result.ts', 'Note'),
    thrownAs('ReportRefused'),
    thrownAs('OrderNotSendable'),
    thrownAs('LineFailed'),
  ];
  for (const list of lists) expect(list.length).toBeGreaterThan(0);
  expect(lists.flat().filter((code) => !listed.includes(code))).toEqual([]);
});

test('each code in a table of the guide is in the source', () => {
  const isInSources = (code: string): boolean => new RegExp(`['"\`]${code}['"\`]`, 'i').test(sources);
  const unknown = listed.filter((code) => !code.includes('…') && !isInSources(code));
  expect(unknown).toEqual([]);
  for (const codes of tables.values()) expect(new Set(codes).size).toBe(codes.length);
});

test('the guide explains internal_error for messages and orders, and plain codes of MSA-1', () => {
  expect(tables.get('Why a message waits')).toContain('internal_error');
  const refusals = tables.get('Why an order was refused');
  expect(refusals).toEqual(expect.arrayContaining(['internal_error', 'ae', 'ar', 'ce', 'cr', 'cr_…']));
});
