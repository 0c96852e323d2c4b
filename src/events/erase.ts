import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../context.ts';

const ROWS_A_STATEMENT = 10_000;

/** Deletes the last deferred events of the user, which eraseSomeDeferredEvents has left. */
export async function eraseUser(ctx: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  while (await eraseSomeDeferredEvents(ctx, user));
}

/** Deletes some deferred events of the user. Returns true if there may be more. */
export async function eraseSomeDeferredEvents({ db }: TxCtx<TeamCtx>, user: { id: string }): Promise<boolean> {
  const deferred = await sql`
    delete from deferred_events where ctid = any (array (
      select ctid from deferred_events where user_id = ${user.id} limit ${ROWS_A_STATEMENT}))`.execute(db);
  return Number(deferred.numAffectedRows) === ROWS_A_STATEMENT;
}

export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('deferred_events').where('team_id', '=', team.id).execute();
  await db.deleteFrom('event_readers').where('team_id', '=', team.id).execute();
}

/**
 * Deletes deferred events that are older than the retention time, and the rows of teams whose readers last waited for
 * events more than a day ago.
 */
export async function dropExpired(ctx: Ctx): Promise<void> {
  await sql`
    delete from deferred_events
     where event_id < uuid_v7_floor((now() at time zone 'UTC')::date - ${ctx.config.retentionDays}::integer)`.execute(
    ctx.db,
  );
  await sql`delete from event_readers where until < now() - interval '1 day'`.execute(ctx.db);
}
