// Pagination by keys: a page starts after the last row of the previous page. Rows that somebody adds meanwhile do not
// shift a page.
import { AppError } from '../errors.ts';
import { isUuid } from '../ids.ts';

/** Returns true for the key of a row in a list that is sorted by id. */
export const isId = (key: unknown): key is string => typeof key === 'string' && isUuid(key);

/** The key of a row in a list that is sorted by `order`. Rows with equal values are sorted by id. */
export type SortKey = [order: string, value: number, id: string];

/**
 * Returns a function that checks whether a key belongs to a list with this order. The value in a key is a whole number
 * (microseconds of a time, cents of a price). A cursor contains it exactly, and PostgreSQL accepts it as a time or a
 * price.
 */
export const isSortKey =
  (order: string) =>
  (key: unknown): key is SortKey =>
    Array.isArray(key) && key.length === 3 && key[0] === order && Number.isSafeInteger(key[1]) && isId(key[2]);

/** Returns the key of a row as opaque text. */
export const encodeCursor = (key: unknown): string => Buffer.from(JSON.stringify(key)).toString('base64url');

/** Returns true if `cursor` contains a key that `isKey` accepts, so a page of the list may have returned it. */
export const isCursor = (cursor: string, isKey: (key: unknown) => boolean): boolean => isKey(parse(cursor));

/** Returns the key in `cursor`. Throws a 422 at [query, `name`] for any other text. */
export function decodeCursor<Key>(cursor: string, isKey: (key: unknown) => key is Key, name = 'next_cursor'): Key {
  const key = parse(cursor);
  if (isKey(key)) return key;
  throw invalidCursor([cursorProblem(['query', name])]);
}

export const cursorProblem = (loc: string[]) => ({
  type: 'value_error',
  loc,
  msg: 'Value is not a cursor of this list in this order',
});

export const invalidCursor = (detail: object[]): AppError =>
  new AppError('invalid_cursor', 'The cursor is not one of this list.', { detail });

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Returns the first `limit` rows, and the cursor of the next page. Query one row more than `limit`. */
export function takePage<Row>(
  rows: Row[],
  limit: number,
  keyOf: (row: Row) => unknown,
): { page: Row[]; next_cursor: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next_cursor: last !== undefined && rows.length > limit ? encodeCursor(keyOf(last)) : null };
}
