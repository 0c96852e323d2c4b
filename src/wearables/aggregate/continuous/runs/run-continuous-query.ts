import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../../context.ts';
import { inTransaction } from '../../../../db/transaction.ts';
import { AppError } from '../../../../errors.ts';
import { findUser, type UserRow } from '../../../../users/find.ts';
import type { runKind } from '../../../ask-for-runs.ts';
import { calendarDateOf, clockOf } from '../../../calendar-date.ts';
import { becomeWriter } from '../../../user-writer.ts';
import { newByteAllowance } from '../../byte-allowance.ts';
import { computeTable, zoneOf } from '../../compute-table.ts';
import { planOf } from '../../read-query.ts';
import { daysOf } from '../../timeframe.ts';
import type { QueryRow } from '../find.ts';
import { storeTable } from './store-table.ts';

type Job = Static<(typeof runKind)['payload']>;
export type Claim = Job & { number: number; user: UserRow } & Pick<
    QueryRow,
    'slug' | 'revision' | 'timeframe' | 'query' | 'config'
  >;

/**
 * Limits of a result table. They are low because each run encrypts the complete table and compares it with the table of
 * the previous run.
 */
const MAX_ROWS = 2_000;
const MAX_VALUES = 20_000;
const MAX_SECONDS = 20;
/** The number of ended runs that we store for each user and query. */
const RETAINED_TASKS = 100;
const STOPPED_BY_LIMIT = '57014';
/**
 * The zone in which a day begins first. A user without a time zone may be in any zone. With today's date of this zone,
 * the timeframe includes the present day of every zone.
 */
const EARLIEST_ZONE = 'Pacific/Kiritimati';

/**
 * Runs a scheduled query for a user, stores the table and publishes its new rows. If the query fails, Phial stores the
 * reason with the run. The next change of the user's data schedules another run.
 */
export async function runContinuousQuery(ctx: TeamCtx, job: Job): Promise<void> {
  const claim = await inTransaction(ctx, (tx) => claimTask(tx, job));
  if (!claim) return;
  let outcome: { table: Awaited<ReturnType<typeof compute>> } | { error: string };
  try {
    outcome = { table: await inTransaction(ctx, (tx) => compute(tx, claim)) };
  } catch (error) {
    outcome = { error: reasonOf(error) };
    if (outcome.error === 'unexpected_error') ctx.log.error({ err: error }, 'a continuous query failed');
  }
  await inTransaction(ctx, async (tx) => {
    if ('error' in outcome) return endTask(tx, claim, { status: 'failure', error: outcome.error });
    const status = await storeTable(tx, claim, outcome.table);
    await endTask(tx, claim, { status, error: null });
  });
}

/**
 * Starts the scheduled run. Returns null if no run is scheduled, if the query is inactive or deleted, or if the user is
 * deleted. First waits for every transaction that is writing data of the user, so that the run reads this data. A write
 * that begins later finds no scheduled run, so it schedules another run.
 */
async function claimTask(ctx: TxCtx<TeamCtx>, { user_id, query_id, team_id }: Job): Promise<Claim | null> {
  await becomeWriter(ctx, user_id);
  const { rows } = await sql<Omit<Claim, keyof Job | 'user'>>`
    update continuous_query_tasks t set status = 'in_progress', started_at = clock_timestamp()
      from continuous_queries q, users u
     where t.user_id = ${user_id} and t.query_id = ${query_id} and t.team_id = ${ctx.team.id} and t.status = 'scheduled'
       and q.team_id = t.team_id and q.id = t.query_id and q.active and q.deleted_at is null
       and u.id = t.user_id and u.deleted_at is null
    returning t.number, q.slug, q.revision, q.timeframe, q.query, q.config`.execute(ctx.db);
  const [row] = rows;
  if (row) return { ...row, user_id, query_id, team_id, user: await findUser(ctx, user_id) };
  // Deletes the scheduled run if the query is inactive or deleted. The run of a user who is scheduled for deletion
  // stays.
  await sql`
    delete from continuous_query_tasks t using continuous_queries q
     where t.user_id = ${user_id} and t.query_id = ${query_id} and t.team_id = ${ctx.team.id} and t.status = 'scheduled'
       and q.team_id = t.team_id and q.id = t.query_id and not (q.active and q.deleted_at is null)`.execute(ctx.db);
  return null;
}

async function compute(ctx: TxCtx<TeamCtx>, { user, query, config, timeframe: { past } }: Claim) {
  await sql`select set_config('statement_timeout', ${String(MAX_SECONDS * 1_000)}, true)`.execute(ctx.db);
  const most = { maxRows: MAX_ROWS, maxValues: MAX_VALUES, bytes: newByteAllowance() };
  return computeTable(ctx, user, planOf(query), {
    ...daysOf({ anchor: anchorOf(user, past), past }, zoneOf(user)),
    ...most,
    config,
  });
}

/** Returns the date of today at the user, or the present moment if the timeframe is in minutes or hours. */
function anchorOf({ fallback_time_zone }: UserRow, { unit }: QueryRow['timeframe']['past']): string {
  const now = new Date().toISOString();
  if (unit === 'minute' || unit === 'hour') return now;
  return calendarDateOf(now, clockOf({}, { fallback_time_zone: fallback_time_zone ?? EARLIEST_ZONE }));
}

function reasonOf(error: unknown): string {
  if (error instanceof AppError) return error.code;
  return (error as { code?: unknown }).code === STOPPED_BY_LIMIT ? 'took_too_long' : 'unexpected_error';
}

/** Ends a run, and deletes ended runs other than the last RETAINED_TASKS. */
async function endTask(
  { db, team }: TxCtx<TeamCtx>,
  { user_id, query_id, number }: Claim,
  { status, error }: { status: 'success' | 'failure' | 'superseded'; error: string | null },
): Promise<void> {
  await sql`
    update continuous_query_tasks set status = ${status}, error = ${error}, ended_at = clock_timestamp()
     where user_id = ${user_id} and query_id = ${query_id} and number = ${number} and team_id = ${team.id}
       and status = 'in_progress'`.execute(db);
  await sql`
    delete from continuous_query_tasks
     where user_id = ${user_id} and query_id = ${query_id} and team_id = ${team.id} and ended_at is not null
       and number <= (select number from continuous_query_tasks where user_id = ${user_id} and query_id = ${query_id}
                       order by number desc offset ${RETAINED_TASKS} limit 1)`.execute(db);
}
