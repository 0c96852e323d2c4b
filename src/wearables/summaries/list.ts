import { setImmediate as others } from 'node:timers/promises';
import { sql, type SelectQueryBuilder } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import type { DB } from '../../db/tables.ts';
import { AppError } from '../../errors.ts';
import { findUser } from '../../users/find.ts';
import { latestDay } from '../calendar-date.ts';
import type { SummaryResource } from './resource.ts';
import { renderRaw, renderSummary, TOLD_COLUMNS } from './render.ts';

/** Days of the calendar, both included, and the source; nothing said: all there are. */
export type Range = { days: { from: string; to: string } | null; provider: string | null };

type Query = { start_date?: string; end_date?: string | undefined; provider?: string | undefined };

/**
 * The range that a query asks for; of times the days as they are written count. Left out, the end is today everywhere: a day that
 * has begun only where the user is belongs to it.
 */
export function rangeOf({ start_date, end_date, provider = '' }: Query): Range {
  const from = start_date?.slice(0, 10);
  return {
    days: from === undefined ? null : { from, to: end_date?.slice(0, 10) ?? latestDay() },
    provider: provider === '' ? null : provider,
  };
}

/** What an answer is made of at most: more is asked for in several ranges. */
const MOST_ROWS = 5_000;
const MOST_BYTES = 8 * 1024 * 1024;
/** Rows that are in memory as they are stored: few, since one may be large, and is packed where it lies. */
const ROWS_AT_ONCE = 100;
const AT_ONCE_MS = 10;

const within = (ctx: TeamCtx, userId: string, { name }: SummaryResource, { days, provider }: Range) =>
  ctx.db
    .selectFrom('summaries')
    .where('team_id', '=', ctx.team.id)
    .where('user_id', '=', userId)
    .where('resource', '=', name)
    .where(
      sql<boolean>`(${days === null}::boolean or calendar_date between ${days?.from ?? null}::date and ${days?.to ?? null}::date)`,
    )
    .where(sql<boolean>`(${provider}::text is null or provider = ${provider}::text)`);

type Told = Record<string, unknown>;

/**
 * A user's summaries of a kind, the newest last. Throws not_found for the user, too_many_matches where the answer would
 * be larger than one is.
 */
export function listSummaries(ctx: TeamCtx, userId: string, resource: SummaryResource, range: Range): Promise<Told[]> {
  return tellEach(ctx, userId, { resource, range }, async (ids) => {
    const rows = await rowsOf(ctx, userId, ids).select(TOLD_COLUMNS).execute();
    return rows.map((row) => () => renderSummary(ctx, resource, row));
  });
}

/** The same as the providers gave them. */
export function listRawSummaries(
  ctx: TeamCtx,
  userId: string,
  resource: SummaryResource,
  range: Range,
): Promise<Told[]> {
  return tellEach(ctx, userId, { resource, range }, async (ids) => {
    const rows = await rowsOf(ctx, userId, ids)
      .select([...TOLD_COLUMNS, 'start_at', 'raw'])
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
 * Reads some rows after the other and makes of each what is told, in turn with other requests. What is told is counted, not what is
 * stored: a thousand equal numbers are a few bytes in the database.
 */
async function tellEach(
  ctx: TeamCtx,
  userId: string,
  { resource, range }: { resource: SummaryResource; range: Range },
  read: (ids: string[]) => Promise<(() => Told)[]>,
): Promise<Told[]> {
  await findUser(ctx, userId);
  const found = await within(ctx, userId, resource, range)
    .select('id')
    .$call(inOrder)
    .limit(MOST_ROWS + 1)
    .execute();
  if (found.length > MOST_ROWS) throw tooMany();
  const told: Told[] = [];
  let bytes = 0;
  let begun = performance.now();
  for (let at = 0; at < found.length; at += ROWS_AT_ONCE) {
    for (const tell of await read(found.slice(at, at + ROWS_AT_ONCE).map(({ id }) => id))) {
      const one = tell();
      bytes += Buffer.byteLength(JSON.stringify(one));
      if (bytes > MOST_BYTES) throw tooMany();
      told.push(one);
      if (performance.now() - begun < AT_ONCE_MS) continue;
      await others();
      begun = performance.now();
    }
  }
  return told;
}

const tooMany = (): AppError =>
  new AppError(
    'too_many_matches',
    `An answer has at most ${MOST_ROWS} summaries of ${MOST_BYTES / 1_048_576} MiB. Ask for fewer days at once.`,
  );
