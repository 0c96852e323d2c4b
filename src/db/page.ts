// Keyset pages: a page begins behind the row that ended the one before, whatever was added in between.
import { AppError } from '../errors.ts';
import { isUuid } from '../ids.ts';

/** The key of a row in a list sorted by id. */
export const isId = (key: unknown): key is string => typeof key === 'string' && isUuid(key);

/** The key of a row in a list sorted by `order`, where ids break ties. */
export type SortKey = [order: string, value: number, id: string];

/**
 * Whether a key is one of a list sorted by `order`. Values are whole numbers (microseconds of a time, cents of a price):
 * exact, and never text that PostgreSQL could refuse as a time or a price.
 */
export const isSortKey =
  (order: string) =>
  (key: unknown): key is SortKey =>
    Array.isArray(key) && key.length === 3 && key[0] === order && Number.isSafeInteger(key[1]) && isId(key[2]);

/** The opaque text of a row's key. */
export const encodeCursor = (key: unknown): string => Buffer.from(JSON.stringify(key)).toString('base64url');

/** Whether a page of a list with such keys may have given `cursor` out. */
export const isCursor = (cursor: string, isKey: (key: unknown) => boolean): boolean => isKey(parse(cursor));

/** The key inside `cursor`; whatever no page of the list gave out is refused as 422 at [query, `name`]. */
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

/** The first `limit` of `rows` with the cursor of what follows; ask the database for one row more than `limit`. */
export function takePage<Row>(
  rows: Row[],
  limit: number,
  keyOf: (row: Row) => unknown,
): { page: Row[]; next_cursor: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next_cursor: last !== undefined && rows.length > limit ? encodeCursor(keyOf(last)) : null };
}
