import { sql } from 'kysely';
import { recordAudit } from '../audit/record.ts';
import type { Ctx, TxCtx } from '../context.ts';
import { inTransaction } from '../db/transaction.ts';
import { GRACE_DAYS } from './delete.ts';

/** Erases every user whose grace period is over at `now`; returns how many. Each user is a transaction of its own. */
export async function purgeDeletedUsers(ctx: Ctx, now: Date): Promise<number> {
  const due = await ctx.db
    .selectFrom('users')
    .select(['id', 'team_id'])
    .where('deleted_at', '<=', sql<string>`${now.toISOString()}::timestamptz - make_interval(days => ${GRACE_DAYS})`)
    .execute();
  let purged = 0;
  for (const user of due) if (await purgeUser(ctx, user, now)) purged += 1;
  return purged;
}

function purgeUser(ctx: Ctx, user: { id: string; team_id: string }, now: Date): Promise<boolean> {
  return inTransaction(ctx, async (ctx) => {
    // An undo may have come first; from here on it waits, and finds nothing.
    const locked = await ctx.db
      .selectFrom('users')
      .select('id')
      .where('id', '=', user.id)
      .where('deleted_at', '<=', sql<string>`${now.toISOString()}::timestamptz - make_interval(days => ${GRACE_DAYS})`)
      .forUpdate()
      .executeTakeFirst();
    if (!locked) return false;
    await eraseTraces(ctx, user);
    // Everything that belongs to the user hangs on this row by foreign keys.
    await ctx.db.deleteFrom('users').where('id', '=', user.id).execute();
    await recordAudit(ctx, {
      team_id: user.team_id,
      action: 'user.purged',
      actor: 'purge_deleted_users',
      records: { user_id: user.id },
    });
    return true;
  });
}

/** What no foreign key ties to the user: sample ids, stored answers, and events with their deliveries and attempts. */
async function eraseTraces(ctx: TxCtx<Ctx>, { id, team_id }: { id: string; team_id: string }): Promise<void> {
  await sql`delete from sample_ids where team_id = ${team_id} and order_id in (select id from orders where user_id = ${id})`.execute(
    ctx.db,
  );
  // Some answers hold a person without their id. Those from before the deletion expired days ago, whoever they are about.
  await sql`
    delete from idempotency_keys where scope_id = ${team_id}
       and (position(${id} in body) > 0 or created_at <= (select deleted_at from users where id = ${id}))`.execute(
    ctx.db,
  );
  await sql`delete from deliveries where team_id = ${team_id} and event_id in (select id from events where user_id = ${id})`.execute(
    ctx.db,
  );
  await sql`delete from attempts where team_id = ${team_id} and event_id in (select id from events where user_id = ${id})`.execute(
    ctx.db,
  );
  await sql`delete from events where user_id = ${id}`.execute(ctx.db);
}
