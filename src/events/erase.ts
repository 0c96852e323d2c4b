import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../context.ts';

const HELD = 10_000;

/** What is left of the events that were held for the user, where eraseSomeHeldEvents went before. */
export async function eraseUser(ctx: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  while (await eraseSomeHeldEvents(ctx, user));
}

/** Whether there may be more. */
export async function eraseSomeHeldEvents({ db }: TxCtx<TeamCtx>, user: { id: string }): Promise<boolean> {
  const held = await sql`
    delete from held_events where ctid = any (array (
      select ctid from held_events where user_id = ${user.id} limit ${HELD}))`.execute(db);
  return Number(held.numAffectedRows) === HELD;
}

export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('held_events').where('team_id', '=', team.id).execute();
  await db.deleteFrom('event_readers').where('team_id', '=', team.id).execute();
}

/** Drops what was held of events that retention has dropped, and readers that are not notified any more. */
export async function dropExpired(ctx: Ctx): Promise<void> {
  await sql`
    delete from held_events
     where event_id < uuid_v7_floor((now() at time zone 'UTC')::date - ${ctx.config.retentionDays}::integer)`.execute(
    ctx.db,
  );
  await sql`delete from event_readers where until < now() - interval '1 day'`.execute(ctx.db);
}
