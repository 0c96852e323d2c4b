import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../context.ts';

const DAYS_AHEAD = 3;

/** Events that tell of the user, with every attempt to deliver them and what still waits. */
export async function eraseUser({ db, team }: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  await db.deleteFrom('held_deliveries').where('user_id', '=', user.id).execute();
  for (const queue of ['deliveries', 'retries'] as const) {
    await sql`
      delete from ${sql.table(queue)} as queue using webhooks, events
       where webhooks.team_id = ${team.id} and events.user_id = ${user.id}
         and queue.webhook_id = webhooks.id and queue.event_id = events.id`.execute(db);
  }
  await sql`
    delete from attempts using events
     where events.user_id = ${user.id} and attempts.team_id = events.team_id and attempts.event_id = events.id`.execute(
    db,
  );
  await sql`delete from events where user_id = ${user.id}`.execute(db);
}

/** Everything of a team's queue; its lanes go with the receivers. */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  for (const queue of ['deliveries', 'retries', 'held_deliveries'] as const) {
    await sql`
      delete from ${sql.table(queue)} as queue using webhooks
       where webhooks.team_id = ${team.id} and queue.webhook_id = webhooks.id`.execute(db);
  }
  await db.deleteFrom('attempts').where('team_id', '=', team.id).execute();
  await db.deleteFrom('events').where('team_id', '=', team.id).execute();
}

/** Makes the partitions of the coming days (UTC), by the database's clock. */
export async function makePartitions(ctx: Ctx): Promise<void> {
  await sql`
    select ensure_partitions((now() at time zone 'UTC')::date - 1, (now() at time zone 'UTC')::date + ${DAYS_AHEAD}::integer)`.execute(
    ctx.db,
  );
}

/** Drops events and attempts that are older than the retention. */
export async function dropExpired(ctx: Ctx): Promise<void> {
  await sql`
    select drop_partitions_before((now() at time zone 'UTC')::date - ${ctx.config.retentionDays}::integer)`.execute(
    ctx.db,
  );
}
