// Keeps the best answer of each operation that a test got, if RECORD_ANSWERS is set. `npm run answers` makes the
// examples of the OpenAPI document of them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainAnswer } from './plain-answer.ts';

/** A file for each operation and process: several workers record at the same time. */
export const RECORDED = join('node_modules', '.cache', 'answers');

/** An answer with more characters than this is no example: nobody reads it. */
const LONGEST = 12_000;

const best = new Map<string, number>();

export function recordAnswer(id: string, body: unknown): void {
  if (!process.env['RECORD_ANSWERS'] || body === null || body === undefined || Buffer.isBuffer(body)) return;
  const text = JSON.stringify(body);
  if (text.length > 50 * LONGEST) return;
  const answer = plainAnswer(body, new Date());
  const worth = worthOf(answer);
  if (worth <= (best.get(id) ?? 0)) return;
  best.set(id, worth);
  mkdirSync(RECORDED, { recursive: true });
  writeFileSync(join(RECORDED, `${id}.${process.pid}.json`), JSON.stringify({ id, worth, answer }));
}

/** The more fields have a value, the more an example says. A test may send odd texts: they make a bad example. */
function worthOf(answer: unknown): number {
  const size = JSON.stringify(answer).length;
  if (size > LONGEST) return 0.001;
  const leaves = leavesOf(answer);
  const odd = leaves.filter((leaf) => typeof leaf === 'string' && isOdd(leaf)).length;
  const said = leaves.filter((leaf) => leaf !== null && leaf !== '').length;
  return Math.max(0.01, Math.min(said, 120) + (size > 5_000 ? -40 : 0) - 30 * odd);
}

/** Texts by which tests try limits. The ids of examples have many zeros. */
const isOdd = (text: string): boolean =>
  text.length > 400 || /[<>\\\p{Cc}]|([^0])\1{6}|^(?:string|text|test|x|a|b)$/u.test(text);

function leavesOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [value];
  return Object.values(value).flatMap(leavesOf);
}
