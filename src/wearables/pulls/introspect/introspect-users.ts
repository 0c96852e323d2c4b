import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { decodeCursor, encodeCursor, isId } from '../../../db/cursor.ts';
import { MIN_ID } from '../../../ids.ts';
import { findUser } from '../../../users/find.ts';
import type { IntrospectQuery } from '../schemas.ts';

/** Returns where a page begins (after which user), how many users it may have, and the provider (null for all). */
export async function usersFrom(
  ctx: TeamCtx,
  { user_id, user_limit, next_cursor, cursor = next_cursor, provider }: Static<typeof IntrospectQuery>,
): Promise<{ after: string; limit: number; provider: string | null }> {
  if (user_id !== undefined) await findUser(ctx, user_id);
  return {
    after: cursor === undefined ? MIN_ID : decodeCursor(cursor, isId),
    limit: user_limit,
    provider: provider ?? null,
  };
}

/**
 * The most rows of a page. A row is one resource of one provider. One user has fewer rows: at most 2,000 streams, and
 * for each provider one row for each kind of summary and each pull.
 */
const MAX_ROWS = 10_000;

/**
 * We select one row more than a page may have. If this row exists, rows of the last user may be missing, so the next
 * page begins with that user.
 */
export const ROWS_ASKED_FOR = MAX_ROWS + 1;

/**
 * Makes a page from rows that are ordered by user. Each user gets a value for every provider. The rows have one user
 * more than `limit`, if there are more pages.
 */
export function toPage<Row extends { user_id: string; provider: string }>(
  rows: Row[],
  limit: number,
  render: (provider: string, rows: Row[]) => unknown,
): { data: { user_id: string; provider: Record<string, unknown> }[]; next: string | null; next_cursor: string | null } {
  const users = grouped(rows, ({ user_id }) => user_id);
  const page = users.slice(0, rows.length > MAX_ROWS ? Math.min(limit, users.length - 1) : limit);
  const next_cursor = users.length > page.length ? encodeCursor(page.at(-1)?.[0]) : null;
  const data = page.map(([user_id, ofUser]) => ({
    user_id,
    provider: Object.fromEntries(
      grouped(ofUser, ({ provider }) => provider).map(([slug, ofProvider]) => [slug, render(slug, ofProvider)]),
    ),
  }));
  return { data, next: next_cursor, next_cursor };
}

/** Groups rows by a key. Groups come in the order of their first row. */
function grouped<Row>(rows: Row[], wordOf: (row: Row) => string): [word: string, rows: Row[]][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(wordOf(row));
    if (group) group.push(row);
    else groups.set(wordOf(row), [row]);
  }
  return [...groups];
}
