import { describe, expect, test } from 'vitest';
import { AppError } from '../errors.ts';
import { decodeCursor, encodeCursor, isId, isSortKey, takePage, type SortKey } from './cursor.ts';

const id = '0198c0de-0000-7000-8000-000000000001';
const key: SortKey = ['price asc', 8900, id];

describe('a cursor', () => {
  test('decodes to the key that it was made from', () => {
    expect(decodeCursor(encodeCursor(id), isId)).toBe(id);
    expect(decodeCursor(encodeCursor(key), isSortKey('price asc'))).toEqual(key);
  });

  test('needs no escaping in a URL', () => {
    expect(encodeCursor(['\u{1f9ea}?>~', id])).toMatch(/^[\w-]+$/);
  });

  test.each([
    ['not base64url', '%%%'],
    ['not JSON', Buffer.from('tampered').toString('base64url')],
    ['empty', ''],
    ['of a list in another order', encodeCursor(['price desc', 8900, id])],
    ['of a list sorted by id', encodeCursor(id)],
    ['too short', encodeCursor(['price asc', 8900])],
    ['too long', encodeCursor([...key, 1])],
    ['with a text as value', encodeCursor(['price asc', '8900', id])],
    ['with a fraction as value', encodeCursor(['price asc', 0.5, id])],
    ['with a value that JavaScript cannot represent exactly', encodeCursor(['price asc', 2 ** 53, id])],
    ['with an id that is no UUID', encodeCursor(['price asc', 8900, "1'; --"])],
  ])('that is %s is refused', (_, cursor) => {
    expect(() => decodeCursor(cursor, isSortKey('price asc'))).toThrow(AppError);
  });

  test('gets a problem of the query when it is refused', () => {
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

  test('has the cursor of its last row while more rows follow', () => {
    expect(takePage(rows, 2, (row) => row)).toEqual({ page: [1, 2], next_cursor: encodeCursor(2) });
  });

  test('has no cursor when it is the last one, even when it is full or empty', () => {
    expect(takePage(rows, 3, (row) => row)).toEqual({ page: rows, next_cursor: null });
    expect(takePage([], 3, (row) => row)).toEqual({ page: [], next_cursor: null });
  });
});
