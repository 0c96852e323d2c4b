import { setImmediate as others } from 'node:timers/promises';
import { sql, type SelectQueryBuilder } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import type { DB } from '../../db/tables.ts';
import { AppError } from '../../errors.ts';
import { findUser } from '../../users/find.ts';
import { latestDay } from '../calendar-date.ts';
import type { SummaryResource } from './resource.ts';
import { renderRaw, renderSummary, RENDERED_COLUMNS } from './render.ts';

/** The first and the last day, both included, and the provider. Null means all days or all providers. */
export type Range = { days: { from: string; to: string } | null; provider: string | null };

type Query = { start_date?: string; end_date?: string | undefined; provider?: string | undefined };

/**
 * Returns the range of a query. If a parameter is a time, only the date in its text counts. If the query has no end,
 * the last day is today in the time zone that is furthest ahead, because the user may be there.
 */
export function rangeOf({ start_date, end_date, provider = '' }: Query): Range {
  const from = start_date?.slice(0, 10);
  return {
    days: from === undefined ? null : { from, to: end_date?.slice(0, 10) ?? latestDay() },
    provider: provider === '' ? null : provider,
  };
}

/** The most summaries of a response. For more, a client asks for several ranges. */
const MAX_ROWS = 5_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** How many stored rows are in memory at a time. One row may be large. */
const ROWS_AT_ONCE = 100;
const AT_ONCE_MS = 10;

const within = (ctx: TeamCtx, userId: string, { name }: SummaryResource, { days, provider }: Range) =>
  ctx.db
    .selectFrom('summaries')
    .where('team_id', '=', ctx.team.id)
    .where('user_id', '=', userId)
    .where('resource', '=', name)
    .where(
      sql<boolean>`(${days === null}::boolean or calendar_date between ${days?.from ?? null}::date
        and ${days?.to ?? null}::date)`,
    )
    .where(sql<boolean>`(${provider}::text is null or provider = ${provider}::text)`);

type Rendered = Record<string, unknown>;

/**
 * Returns a user's summaries of a kind, the newest last. Throws not_found for the user, and too_many_matches if the
 * response would be too large.
 */
export function listSummaries(
  ctx: TeamCtx,
  userId: string,
  resource: SummaryResource,
  range: Range,
): Promise<Rendered[]> {
  return renderEach(ctx, userId, { resource, range }, async (ids) => {
    const rows = await rowsOf(ctx, userId, ids).select(RENDERED_COLUMNS).execute();
    return rows.map((row) => () => renderSummary(ctx, resource, row));
  });
}

/** Returns the summaries that listSummaries returns, but in the form in which the providers sent them. */
export function listRawSummaries(
  ctx: TeamCtx,
  userId: string,
  resource: SummaryResource,
  range: Range,
): Promise<Rendered[]> {
  return renderEach(ctx, userId, { resource, range }, async (ids) => {
    const rows = await rowsOf(ctx, userId, ids)
      .select([...RENDERED_COLUMNS, 'start_at', 'raw'])
      .execute();
    return rows.map((row) => () => renderRaw(ctx, resource, row));
  });
}

const rowsOf = (ctx: TeamCtx, userId: string, ids: string[]) =>
  ctx.db
    .selectFrom('summaries')
    .where('team_id', '=', ctx.team.id)
    .where('user_id', '=', userId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .$call(inOrder);

const inOrder = <O>(query: SelectQueryBuilder<DB, 'summaries', O>): SelectQueryBuilder<DB, 'summaries', O> =>
  query.orderBy('calendar_date').orderBy('start_at').orderBy('id');

/**
 * Reads rows in small groups and renders each row. In between, the process does other work. The limit is for rendered
 * bytes and not for stored ones: a thousand equal numbers have few bytes in the database, where they are compressed.
 */
async function renderEach(
  ctx: TeamCtx,
  userId: string,
  { resource, range }: { resource: SummaryResource; range: Range },
  read: (ids: string[]) => Promise<(() => Rendered)[]>,
): Promise<Rendered[]> {
  await findUser(ctx, userId);
  const found = await within(ctx, userId, resource, range)
    .select('id')
    .$call(inOrder)
    .limit(MAX_ROWS + 1)
    .execute();
  if (found.length > MAX_ROWS) throw tooMany();
  const rendered: Rendered[] = [];
  let bytes = 0;
  let begun = performance.now();
  for (let at = 0; at < found.length; at += ROWS_AT_ONCE) {
    for (const render of await read(found.slice(at, at + ROWS_AT_ONCE).map(({ id }) => id))) {
      const one = render();
      bytes += Buffer.byteLength(JSON.stringify(one));
      if (bytes > MAX_BYTES) throw tooMany();
      rendered.push(one);
      if (performance.now() - begun < AT_ONCE_MS) continue;
      await others();
      begun = performance.now();
    }
  }
  return rendered;
}

const tooMany = (): AppError =>
  new AppError(
    'too_many_matches',
    `A response has at most ${MAX_ROWS} summaries of ${MAX_BYTES / 1_048_576} MiB. Ask for fewer days at once.`,
  );
