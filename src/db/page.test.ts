import { describe, expect, test } from 'vitest';
import { AppError } from '../errors.ts';
import { decodeCursor, encodeCursor, isId, isSortKey, takePage, type SortKey } from './page.ts';

const id = '0198c0de-0000-7000-8000-000000000001';
const key: SortKey = ['price asc', 8900, id];

describe('a cursor', () => {
  test('gives the key back that it was made from', () => {
    expect(decodeCursor(encodeCursor(id), isId)).toBe(id);
    expect(decodeCursor(encodeCursor(key), isSortKey('price asc'))).toEqual(key);
  });

  test('can stand in an address as it is', () => {
    expect(encodeCursor(['\u{1f9ea}?>~', id])).toMatch(/^[\w-]+$/);
  });

  test.each([
    ['no base64url', '%%%'],
    ['no JSON', Buffer.from('tampered').toString('base64url')],
    ['empty', ''],
    ['of a list sorted otherwise', encodeCursor(['price desc', 8900, id])],
    ['of a list sorted by id', encodeCursor(id)],
    ['too short', encodeCursor(['price asc', 8900])],
    ['too long', encodeCursor([...key, 1])],
    ['with a text as value', encodeCursor(['price asc', '8900', id])],
    ['with a value that is no whole number', encodeCursor(['price asc', 0.5, id])],
    ['with a value beyond what is exact', encodeCursor(['price asc', 2 ** 53, id])],
    ['with an id that is none', encodeCursor(['price asc', 8900, "1'; --"])],
  ])('that is %s is refused', (_, cursor) => {
    expect(() => decodeCursor(cursor, isSortKey('price asc'))).toThrow(AppError);
  });

  test('that is refused is a problem of the query', () => {
    expect(() => decodeCursor('x', isId)).toThrow(
      expect.objectContaining({
        code: 'invalid_cursor',
        extra: { detail: [{ type: 'value_error', loc: ['query', 'next_cursor'], msg: expect.any(String) }] },
      }),
    );
  });
});

describe('a page', () => {
  const rows = [1, 2, 3];

  test('ends with the cursor of its last row while rows follow', () => {
    expect(takePage(rows, 2, (row) => row)).toEqual({ page: [1, 2], next_cursor: encodeCursor(2) });
  });

  test('that is the last has no cursor, also when it is full or empty', () => {
    expect(takePage(rows, 3, (row) => row)).toEqual({ page: rows, next_cursor: null });
    expect(takePage([], 3, (row) => row)).toEqual({ page: [], next_cursor: null });
  });
});
