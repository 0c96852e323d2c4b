import { sql, type RawBuilder } from 'kysely';
import type { TeamCtx } from '../../context.ts';
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
const MOST_BYTES = 16 * 1024 * 1024;

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

/**
 * A user's summaries of a kind, the newest last. Throws not_found for the user, too_many_matches where the answer would
 * be larger than one is.
 */
export async function listSummaries(
  ctx: TeamCtx,
  userId: string,
  resource: SummaryResource,
  range: Range,
): Promise<Record<string, unknown>[]> {
  await findUser(ctx, userId);
  const matching = within(ctx, userId, resource, range);
  await refuseTooMany(matching, sql`coalesce(octet_length(texts), 0) + pg_column_size(values)`);
  const rows = await matching
    .select(TOLD_COLUMNS)
    .orderBy('calendar_date')
    .orderBy('start_at')
    .orderBy('id')
    .limit(MOST_ROWS)
    .execute();
  return rows.map((row) => renderSummary(ctx, resource, row));
}

/** The same as the providers gave them. */
export async function listRawSummaries(
  ctx: TeamCtx,
  userId: string,
  resource: SummaryResource,
  range: Range,
): Promise<Record<string, unknown>[]> {
  await findUser(ctx, userId);
  const matching = within(ctx, userId, resource, range);
  await refuseTooMany(matching, sql`octet_length(raw)`);
  const rows = await matching
    .select([...TOLD_COLUMNS, 'start_at', 'raw'])
    .orderBy('calendar_date')
    .orderBy('start_at')
    .orderBy('id')
    .limit(MOST_ROWS)
    .execute();
  return rows.map((row) => renderRaw(ctx, resource, row));
}

async function refuseTooMany(matching: ReturnType<typeof within>, size: RawBuilder<unknown>): Promise<void> {
  const { rows, bytes } = await matching
    .select(sql<number>`count(*)`.as('rows'))
    .select(sql<number>`coalesce(sum(${size}), 0)`.as('bytes'))
    .executeTakeFirstOrThrow();
  if (rows <= MOST_ROWS && bytes <= MOST_BYTES) return;
  throw new AppError(
    'too_many_matches',
    `An answer has at most ${MOST_ROWS} summaries of ${MOST_BYTES / 1_048_576} MiB. Ask for fewer days at once.`,
  );
}
