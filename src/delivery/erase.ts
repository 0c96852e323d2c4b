import { sql, type RawBuilder } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../context.ts';
import type { Tx } from '../db/open.ts';
import { holdOffReplayed } from './lanes/replayed.ts';

const DAYS_AHEAD = 3;

/** Events that one step erases, each with a row for every receiver at most. */
const EVENTS = 200;
/** Rows that one statement deletes of what there may be any number of. */
const PIECE = 10_000;

/** What is left of events that tell of the user, where eraseSomeEvents went before. */
export async function eraseUser(ctx: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  while (await eraseSomeEvents(ctx, user));
}

/**
 * Some of the events that tell of the user, with every attempt to deliver them and what still waits; whether there may
 * be more. A user can have hundreds of thousands of rows in the queue: nothing here grows with them, nor with those of
 * others. Rows are looked up one by one and deleted by their place, since a join reads the queue whole where statistics
 * are from when it was empty, and in the order of the key, or retries might be looked for along the due times. No text is
 * constant, so that none is prepared and keeps a plan from that time.
 */
export async function eraseSomeEvents({ db, team }: TxCtx<TeamCtx>, user: { id: string }): Promise<boolean> {
  await holdOffReplayed(db, team);
  const held = await sql`
    delete from ${sql.table('held_deliveries')} where ctid = any (array (
      select ctid from held_deliveries where user_id = ${user.id} limit ${PIECE}))`.execute(db);
  const events = await db.selectFrom('events').select('id').where('user_id', '=', user.id).limit(EVENTS).execute();
  if (events.length > 0) {
    const ids = events.map(({ id }) => id);
    const receivers = await receiversOf(db, team);
    // A first attempt that fails meanwhile enters the retries: those come second.
    for (const queue of ['deliveries', 'retries'] as const) {
      await sql`
        delete from ${sql.table(queue)} where ctid = any (array (
          select row.ctid
            from unnest(${receivers}::uuid[]) as receiver (id) cross join unnest(${ids}::uuid[]) as event (id)
           cross join lateral (
             select ctid from ${sql.table(queue)} as queue
              where (webhook_id, event_id) between (receiver.id, event.id) and (receiver.id, event.id)
              order by webhook_id, event_id limit 1
           ) as row))`.execute(db);
    }
    await db.deleteFrom('attempts').where('team_id', '=', team.id).where('event_id', 'in', ids).execute();
    await db.deleteFrom('events').where('team_id', '=', team.id).where('id', 'in', ids).execute();
  }
  return events.length === EVENTS || Number(held.numAffectedRows) === PIECE;
}

/**
 * Some of what a team has without users, once those are gone: its queue, counts of its deliveries, and events of its own with the
 * attempts to deliver them; whether there may be more. Nothing of it is prepared, as in eraseSomeEvents.
 */
export async function eraseSomeOfTeam({ db, team }: TxCtx<TeamCtx>): Promise<boolean> {
  await holdOffReplayed(db, team);
  const receivers = await receiversOf(db, team);
  for (const queue of ['deliveries', 'retries', 'held_deliveries'] as const) {
    const { numAffectedRows } = await sql`
      delete from ${sql.table(queue)} where ctid = any (array (
        select row.ctid from unnest(${receivers}::uuid[]) as receiver (id) cross join lateral (
          select ctid from ${sql.table(queue)} as queue where queue.webhook_id = receiver.id limit ${PIECE}
        ) as row limit ${PIECE}))`.execute(db);
    if (Number(numAffectedRows) === PIECE) return true;
  }
  const tallies = await sql`
    delete from ${sql.table('delivery_tallies')} where ctid = any (array (
      select ctid from delivery_tallies where team_id = ${team.id} order by webhook_id, started_at limit ${PIECE}))`.execute(
    db,
  );
  const events = await db.selectFrom('events').select('id').where('team_id', '=', team.id).limit(EVENTS).execute();
  if (events.length > 0) {
    const ids = events.map(({ id }) => id);
    await db.deleteFrom('attempts').where('team_id', '=', team.id).where('event_id', 'in', ids).execute();
    await db.deleteFrom('events').where('team_id', '=', team.id).where('id', 'in', ids).execute();
  }
  return Number(tallies.numAffectedRows) === PIECE || events.length === EVENTS;
}

/** What is left of a team, where eraseSomeOfTeam went before; its lanes go with the receivers. */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await holdOffReplayed(db, team);
  const receivers = await receiversOf(db, team);
  if (receivers.length > 0) {
    for (const queue of ['deliveries', 'retries', 'held_deliveries'] as const)
      await db.deleteFrom(queue).where('webhook_id', 'in', receivers).execute();
  }
  for (const table of ['attempts', 'delivery_tallies', 'events'] as const)
    await db.deleteFrom(table).where('team_id', '=', team.id).execute();
}

async function receiversOf(db: Tx, team: { id: string }): Promise<string[]> {
  const receivers = await db.selectFrom('webhooks').select('id').where('team_id', '=', team.id).execute();
  return receivers.map(({ id }) => id);
}

/** Makes the partitions of the coming days (UTC), by the database's clock. */
export async function makePartitions(ctx: Ctx): Promise<void> {
  await sql`
    select ensure_partitions((now() at time zone 'UTC')::date - 1, (now() at time zone 'UTC')::date + ${DAYS_AHEAD}::integer)`.execute(
    ctx.db,
  );
}

/**
 * Drops events, attempts and the counts of these that are older than the retention. What waits for such events goes first, some of it
 * at a time: while partitions are dropped everybody waits.
 */
export async function dropExpired(ctx: Ctx): Promise<void> {
  const days = Math.max(ctx.config.retentionDays, 1);
  for (const queue of ['deliveries', 'retries', 'held_deliveries']) {
    await deleteInPieces(
      ctx,
      sql`
      delete from ${sql.table(queue)} where ctid = any (array (
        select ctid from ${sql.table(queue)}
         where event_id < uuid_v7_floor((now() at time zone 'UTC')::date - ${days}::integer) limit ${PIECE}))`,
    );
  }
  await sql`select drop_partitions_before((now() at time zone 'UTC')::date - ${days}::integer)`.execute(ctx.db);
  await deleteInPieces(
    ctx,
    sql`
    delete from ${sql.table('delivery_tallies')} where ctid = any (array (
      select ctid from delivery_tallies where started_at < now() - make_interval(days => ${days})
       order by started_at limit ${PIECE}))`,
  );
}

/** Runs a statement until it deletes less than a piece. */
async function deleteInPieces({ db, stopping }: Ctx, statement: RawBuilder<unknown>): Promise<void> {
  for (let gone = PIECE; gone === PIECE && !stopping?.aborted;)
    gone = Number((await statement.execute(db)).numAffectedRows);
}
