import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { float8Array, int4Array, int8Array, jsonbArray, timestamptzArray } from './binary-array.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/** Sends an array to PostgreSQL, and returns each item as the text that PostgreSQL makes of it. */
async function heard(array: Buffer, type: string): Promise<(string | null)[]> {
  const { rows } = await sql<{ item: string | null }>`
    select item::text from unnest(${array}::${sql.raw(type)}[]) with ordinality as list (item, n) order by n`.execute(
    app.db,
  );
  return rows.map(({ item }) => item);
}

describe('an array in binary form', () => {
  it.each([
    ['bigint', int8Array([0, 1, -1, 4_294_967_296, -4_294_967_297, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER])],
    ['integer', int4Array([0, -1, 2_147_483_647, -2_147_483_648])],
    ['float8', float8Array([0.1, -0, 1e-300, -1.5, Infinity, NaN])],
    [
      'timestamptz',
      timestamptzArray([
        '2026-01-02T03:04:05.678Z',
        '1969-12-31T23:59:59.001Z',
        '2000-01-01T00:00:00.000Z',
        '0900-01-01T00:00:00.001Z',
        '9999-12-31T23:59:59.999Z',
      ]),
    ],
    ['jsonb', jsonbArray(['{"a": "é\\u00df"}', '[]', 'null'])],
  ])('of %s holds the same items as its text form', async (type, array) => {
    const texts: Record<string, string[]> = {
      bigint: ['0', '1', '-1', '4294967296', '-4294967297', '9007199254740991', '-9007199254740991'],
      integer: ['0', '-1', '2147483647', '-2147483648'],
      float8: ['0.1', '-0', '1e-300', '-1.5', 'Infinity', 'NaN'],
      timestamptz: [
        '2026-01-02 03:04:05.678+00',
        '1969-12-31 23:59:59.001+00',
        '2000-01-01 00:00:00+00',
        '0900-01-01 00:00:00.001+00',
        '9999-12-31 23:59:59.999+00',
      ],
      jsonb: ['{"a": "éß"}', '[]', 'null'],
    };
    expect(await heard(array, type)).toEqual(texts[type]);
  });

  it.each([
    ['bigint', int8Array],
    ['integer', int4Array],
    ['float8', float8Array],
    ['timestamptz', timestamptzArray],
    ['jsonb', jsonbArray],
  ])('of %s may be empty and may hold nulls', async (type, array) => {
    expect(await heard(array([]), type)).toEqual([]);
    expect(await heard(array([null, null]), type)).toEqual([null, null]);
  });

  it.each([
    ['a number that is not exact as bigint', () => int8Array([2 ** 53])],
    ['a fraction as bigint', () => int8Array([0.5])],
    ['a fraction as integer', () => int4Array([0.5])],
    ['a number too large as integer', () => int4Array([2_147_483_648])],
    ['a text that is no moment', () => timestamptzArray(['yesterday'])],
  ])('refuses %s', (_, make) => {
    expect(make).toThrow(RangeError);
  });
});
