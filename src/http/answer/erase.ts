import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../../context.ts';
import { IDEMPOTENCY_HOURS } from './idempotency.ts';

const BATCH = 500;

/**
 * Stored answers that name the user, and those that have expired. Answers are sealed, so what they hold is read by
 * opening those of the last day. One that tells of the user without the id was made before the deletion, and has expired.
 */
export async function eraseUser(ctx: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  const { db, team, cipher } = ctx;
  await sql`
    delete from idempotency_keys where scope_id = ${team.id}
       and created_at < now() - make_interval(hours => ${IDEMPOTENCY_HOURS})`.execute(db);
  let last = { operation: '', key: '' };
  for (;;) {
    const { rows } = await sql<{ operation: string; key: string; body: Buffer }>`
      select operation, key, body from idempotency_keys
       where scope_id = ${team.id} and (operation, key) > (${last.operation}, ${last.key})
       order by operation, key limit ${BATCH}`.execute(db);
    const naming = rows.filter(({ operation, key, body }) =>
      cipher.openText('idempotency_keys.body', { team_id: team.id, id: `${operation}/${key}` }, body).includes(user.id),
    );
    // Few: nobody asks much about a user who is scheduled for deletion.
    for (const { operation, key } of naming) {
      await db
        .deleteFrom('idempotency_keys')
        .where('scope_id', '=', team.id)
        .where('operation', '=', operation)
        .where('key', '=', key)
        .execute();
    }
    if (rows.length < BATCH) return;
    last = rows.at(-1) as (typeof rows)[number];
  }
}

export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('scope_id', '=', team.id).execute();
}

/** Drops answers that are no longer replayed. */
export async function dropExpired(ctx: Ctx): Promise<void> {
  await sql`
    delete from idempotency_keys where created_at < now() - make_interval(hours => ${IDEMPOTENCY_HOURS})`.execute(
    ctx.db,
  );
}
