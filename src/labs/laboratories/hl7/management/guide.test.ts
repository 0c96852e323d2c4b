// The tables of docs/guides/repair-messages.md have every code that the queue can show, and none that is not there.
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

/** The first column of each table with reasons, by the heading that it stands under. */
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
const told = [...tables.values()].flat();

const listIn = (file: string, name: string): string[] => {
  const text = readFileSync(resolve(LABS, 'laboratories/hl7', file), 'utf8');
  const list = new RegExp(`(?:const|type) ${name}\\b[^=]*=([^;]*);`).exec(text)?.[1] ?? '';
  return [...list.matchAll(/'([a-z0-9_]+)'/g)].map(([, code]) => code as string);
};
const thrownAs = (name: string): string[] =>
  [...sources.matchAll(new RegExp(`${name}\\('([a-z0-9_]+)'`, 'g'))].map(([, code]) => code as string);

test('each reason and warning of the code stands in a table of the guide', () => {
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
  expect(lists.flat().filter((code) => !told.includes(code))).toEqual([]);
});

test('each code of a table of the guide is one of the code', () => {
  const unknown = told.filter((code) => !code.includes('…') && !new RegExp(`['"\`]${code}['"\`]`, 'i').test(sources));
  expect(unknown).toEqual([]);
  for (const codes of tables.values()) expect(new Set(codes).size).toBe(codes.length);
});

test('a fault of Phial is told of a message that came and of an order that goes out, and a bare code of MSA-1 is told too', () => {
  expect(tables.get('Why a message waits')).toContain('internal_error');
  const refusals = tables.get('Why an order was refused');
  expect(refusals).toEqual(expect.arrayContaining(['internal_error', 'ae', 'ar', 'ce', 'cr', 'cr_…']));
});
