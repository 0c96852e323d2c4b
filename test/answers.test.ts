// docs/answers.json has an answer of each operation. To record answers anew, run the tests of an operation with
// RECORD_ANSWERS=1, and then `npm run answers`.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { operations } from '../src/operations.ts';
import { jsonOf } from '../src/operation/media.ts';
import { ANSWERS } from '../src/openapi-texts/answers.ts';
import { RECORDED } from './record-answer.ts';
import { problemsOf } from './shapes.ts';

type Recorded = { id: string; worth: number; answer: unknown };

const FILE = 'docs/answers.json';
const read = (): Record<string, unknown> => JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, unknown>;

const inJson = operations.filter(({ id, response }) => jsonOf(response) !== undefined && !(id in ANSWERS));
const shapeOf = new Map(inJson.map(({ id, response }) => [id, jsonOf(response)]));

const isValid = (id: string, answer: unknown): boolean => {
  const shape = shapeOf.get(id);
  return shape !== undefined && problemsOf(shape, answer).length === 0;
};

/** The best recorded answer of each operation. Answers that were not recorded again stay, unless they are outdated. */
function merge(): Record<string, unknown> {
  const folder = existsSync(RECORDED) ? readdirSync(RECORDED) : [];
  const recorded = folder.map((name) => JSON.parse(readFileSync(join(RECORDED, name), 'utf8')) as Recorded);
  const best = recorded.toSorted((a, b) => a.worth - b.worth).map(({ id, answer }) => [id, answer] as const);
  const all = [...Object.entries(read()), ...best].filter(([id, answer]) => isValid(id, answer));
  return Object.fromEntries(new Map(all.toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

test('docs/answers.json has an answer of every operation in its declared shape (UPDATE=1 adds recorded ones)', () => {
  if (process.env['UPDATE']) writeFileSync(FILE, `${JSON.stringify(merge(), null, 1)}\n`);
  const answers = read();
  expect(Object.keys(answers).filter((id) => !shapeOf.has(id))).toEqual([]);
  expect(inJson.map(({ id }) => id).filter((id) => !(id in answers))).toEqual([]);
  for (const [id, answer] of Object.entries(answers))
    expect(problemsOf(shapeOf.get(id) as never, answer), id).toEqual([]);
});

test('no answer has a text that stands for a value, or a secret or an address of a test', () => {
  const text = readFileSync(FILE, 'utf8');
  expect(text).not.toMatch(/additionalProp|(?<!"type"): "string"|127\.0\.0\.1|localhost|\/tmp\//);
  // Telephone numbers and mailboxes belong to nobody.
  for (const [mailbox] of text.matchAll(/[\w.+-]+@[\w-]+\.[\w.-]+/g))
    expect(mailbox).toMatch(/@([\w-]+\.)*example\.\w+$/);
  for (const [number] of text.matchAll(/\+1\d{10}/g)) expect(number).toMatch(/^\+1\d{3}55501\d\d$/);
});
