import { sql, type RawBuilder } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../context.ts';
import type { Tx } from '../db/open-database.ts';
import { lockReplayed } from './queues/queue-replayed.ts';

/** The most events that one step erases. Each event has at most one queue row for every endpoint. */
const EVENTS = 200;
/** The most rows that one statement deletes from tables in which a user or team can have any number of rows. */
const CHUNK = 10_000;

/** Erases the events of the user that earlier calls of eraseSomeEvents have not erased. */
export async function eraseUser(ctx: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  while (await eraseSomeEvents(ctx, user));
}

/**
 * Erases some events about the user, with their attempts and their waiting deliveries. Returns true if there may be
 * more. A queue table can have hundreds of thousands of rows, of this user and of others. The time of a statement must
 * not grow with their number.
 * Each statement finds rows one by one and deletes them by ctid, PostgreSQL's address of a row. If PostgreSQL planned a
 * join by statistics from a time when the table was empty, it would read all rows of the table. Each lookup orders by
 * the key, because PostgreSQL might otherwise search retries by due time. A statement with `sql.table` is not prepared.
 * So PostgreSQL makes a new plan for each run, and caches no plan from a time when the table was empty.
 */
export async function eraseSomeEvents({ db, team }: TxCtx<TeamCtx>, user: { id: string }): Promise<boolean> {
  await lockReplayed(db, team);
  const deferred = await sql`
    delete from ${sql.table('deferred_deliveries')} where ctid = any (array (
      select ctid from deferred_deliveries where user_id = ${user.id} limit ${CHUNK}))`.execute(db);
  const events = await db.selectFrom('events').select('id').where('user_id', '=', user.id).limit(EVENTS).execute();
  if (events.length > 0) {
    const ids = events.map(({ id }) => id);
    const endpoints = await endpointsOf(db, team);
    // A first attempt that fails meanwhile moves from deliveries to retries. So we delete from retries after
    // deliveries.
    for (const queue of ['deliveries', 'retries'] as const) {
      await sql`
        delete from ${sql.table(queue)} where ctid = any (array (
          select row.ctid
            from unnest(${endpoints}::uuid[]) as endpoint (id) cross join unnest(${ids}::uuid[]) as event (id)
           cross join lateral (
             select ctid from ${sql.table(queue)} as queue
              where (webhook_id, event_id) between (endpoint.id, event.id) and (endpoint.id, event.id)
              order by webhook_id, event_id limit 1
           ) as row))`.execute(db);
    }
    await db.deleteFrom('attempts').where('team_id', '=', team.id).where('event_id', 'in', ids).execute();
    await db.deleteFrom('events').where('team_id', '=', team.id).where('id', 'in', ids).execute();
  }
  return events.length === EVENTS || Number(deferred.numAffectedRows) === CHUNK;
}

/**
 * Erases some rows of a team that belong to no user: its queue, the counts of its deliveries, and its own events with
 * their attempts. Call it after the team's users are erased. Returns true if there may be more. PostgreSQL plans each
 * statement at each run, for the reason that eraseSomeEvents states.
 */
export async function eraseSomeOfTeam({ db, team }: TxCtx<TeamCtx>): Promise<boolean> {
  await lockReplayed(db, team);
  const endpoints = await endpointsOf(db, team);
  for (const queue of ['deliveries', 'retries', 'deferred_deliveries'] as const) {
    const { numAffectedRows } = await sql`
      delete from ${sql.table(queue)} where ctid = any (array (
        select row.ctid from unnest(${endpoints}::uuid[]) as endpoint (id) cross join lateral (
          select ctid from ${sql.table(queue)} as queue where queue.webhook_id = endpoint.id limit ${CHUNK}
        ) as row limit ${CHUNK}))`.execute(db);
    if (Number(numAffectedRows) === CHUNK) return true;
  }
  const tallies = await sql`
    delete from ${sql.table('delivery_tallies')} where ctid = any (array (
      select ctid from delivery_tallies where team_id = ${team.id} order by webhook_id, started_at
          limit ${CHUNK}))`.execute(db);
  const events = await db.selectFrom('events').select('id').where('team_id', '=', team.id).limit(EVENTS).execute();
  if (events.length > 0) {
    const ids = events.map(({ id }) => id);
    await db.deleteFrom('attempts').where('team_id', '=', team.id).where('event_id', 'in', ids).execute();
    await db.deleteFrom('events').where('team_id', '=', team.id).where('id', 'in', ids).execute();
  }
  return Number(tallies.numAffectedRows) === CHUNK || events.length === EVENTS;
}

/**
 * Erases the rows of a team that earlier calls of eraseSomeOfTeam have not erased. The rows of its endpoint queues are
 * deleted together with the endpoints.
 */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await lockReplayed(db, team);
  const endpoints = await endpointsOf(db, team);
  if (endpoints.length > 0) {
    for (const queue of ['deliveries', 'retries', 'deferred_deliveries'] as const)
      await db.deleteFrom(queue).where('webhook_id', 'in', endpoints).execute();
  }
  for (const table of ['attempts', 'delivery_tallies', 'events'] as const)
    await db.deleteFrom(table).where('team_id', '=', team.id).execute();
}

async function endpointsOf(db: Tx, team: { id: string }): Promise<string[]> {
  const endpoints = await db.selectFrom('webhooks').select('id').where('team_id', '=', team.id).execute();
  return endpoints.map(({ id }) => id);
}

/**
 * Drops events, attempts and counts of attempts that are older than the retention period. Dropping a partition blocks
 * all other transactions, so it must be short. So the function first deletes, in chunks, the deliveries that wait for
 * such events.
 */
export async function dropExpired(ctx: Ctx): Promise<void> {
  const days = Math.max(ctx.config.retentionDays, 1);
  for (const queue of ['deliveries', 'retries', 'deferred_deliveries']) {
    await deleteInChunks(
      ctx,
      sql`
      delete from ${sql.table(queue)} where ctid = any (array (
        select ctid from ${sql.table(queue)}
         where event_id < uuid_v7_floor((now() at time zone 'UTC')::date - ${days}::integer) limit ${CHUNK}))`,
    );
  }
  await sql`select drop_partitions_before((now() at time zone 'UTC')::date - ${days}::integer)`.execute(ctx.db);
  await deleteInChunks(
    ctx,
    sql`
    delete from ${sql.table('delivery_tallies')} where ctid = any (array (
      select ctid from delivery_tallies where started_at < now() - make_interval(days => ${days})
       order by started_at limit ${CHUNK}))`,
  );
}

/** Repeats a statement until it deletes fewer rows than a full chunk, or until the process stops. */
async function deleteInChunks({ db, stopping }: Ctx, statement: RawBuilder<unknown>): Promise<void> {
  for (let gone = CHUNK; gone === CHUNK && !stopping?.aborted;)
    gone = Number((await statement.execute(db)).numAffectedRows);
}
