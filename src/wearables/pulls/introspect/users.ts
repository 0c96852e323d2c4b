import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { decodeCursor, encodeCursor, isId } from '../../../db/page.ts';
import { LEAST_ID } from '../../../ids.ts';
import { findUser } from '../../../users/find.ts';
import type { IntrospectQuery } from '../schemas.ts';

/** Where a page of users begins, how many it has, and the provider that it is about; null: all of them. */
export async function usersFrom(
  ctx: TeamCtx,
  { user_id, user_limit, next_cursor, cursor = next_cursor, provider }: Static<typeof IntrospectQuery>,
): Promise<{ after: string; limit: number; provider: string | null }> {
  if (user_id !== undefined) await findUser(ctx, user_id);
  return {
    after: cursor === undefined ? LEAST_ID : decodeCursor(cursor, isId),
    limit: user_limit,
    provider: provider ?? null,
  };
}

/** A resource of a provider each; no user has as many: 2,000 streams, and for each provider a kind of summary or a pull of each resource. */
const MOST_ROWS = 10_000;

/** How many rows are asked for: one more tells that the last user may lack some, and is shown on the next page. */
export const ROWS_ASKED_FOR = MOST_ROWS + 1;

/** Rows of users in their order as a page: of each user a value for every provider. One user more than `limit` was asked for. */
export function toPage<Row extends { user_id: string; provider: string }>(
  rows: Row[],
  limit: number,
  render: (provider: string, rows: Row[]) => unknown,
): { data: { user_id: string; provider: Record<string, unknown> }[]; next: string | null; next_cursor: string | null } {
  const users = grouped(rows, ({ user_id }) => user_id);
  const page = users.slice(0, rows.length > MOST_ROWS ? Math.min(limit, users.length - 1) : limit);
  const next_cursor = users.length > page.length ? encodeCursor(page.at(-1)?.[0]) : null;
  const data = page.map(([user_id, ofUser]) => ({
    user_id,
    provider: Object.fromEntries(
      grouped(ofUser, ({ provider }) => provider).map(([slug, ofProvider]) => [slug, render(slug, ofProvider)]),
    ),
  }));
  return { data, next: next_cursor, next_cursor };
}

/** Rows by a word of theirs, in the order in which they came. */
function grouped<Row>(rows: Row[], wordOf: (row: Row) => string): [word: string, rows: Row[]][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(wordOf(row));
    if (group) group.push(row);
    else groups.set(wordOf(row), [row]);
  }
  return [...groups];
}
