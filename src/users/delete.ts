import { sql } from 'kysely';
import { Type } from 'typebox';
import type { TeamCtx } from '../context.ts';
import { addJob, jobKind } from '../db/define-job.ts';
import { inTransaction } from '../db/transaction.ts';
import { sendHeldDeliveries } from '../delivery/hold.ts';
import { notFound } from '../errors.ts';
import { showHeldEvents } from '../events/held.ts';

/** The job that sets going again what stood still while the user was deleted. */
export const resumeKind = jobKind({
  name: 'resume_simulations',
  payload: Type.Object({ overdue_seconds: Type.Integer() }),
});

/** Days between the deletion of a user and the erasure of everything of theirs. */
export const GRACE_DAYS = 7;

/** The deleted_at of a user whose erasure has begun: it takes several transactions, and none is taken back. */
export const ERASURE_BEGAN = '-infinity';

/** Schedules the erasure; until then undoDeleteUser brings everything back. Once more changes nothing. */
export async function deleteUser(ctx: TeamCtx, userId: string): Promise<void> {
  const scheduled = await ctx.db
    .updateTable('users')
    .set({ deleted_at: sql<string>`coalesce(deleted_at, now())` })
    .where('id', '=', userId)
    .where('team_id', '=', ctx.team.id)
    .returning('id')
    .executeTakeFirst();
  if (!scheduled) throw notFound('User');
}

/**
 * Takes a deletion back, by exactly one of the two ids. A user that is not scheduled for deletion stays as it is; one
 * whose erasure has begun is not found.
 */
export function undoDeleteUser(ctx: TeamCtx, by: { user_id: string } | { client_user_id: string }): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    const restored = await ctx.db
      .updateTable('users')
      .set({ deleted_at: null })
      .where('team_id', '=', ctx.team.id)
      .where('deleted_at', 'is distinct from', ERASURE_BEGAN)
      .where((eb) =>
        'user_id' in by
          ? eb('id', '=', by.user_id)
          : eb(
              'id',
              '=',
              eb
                .selectFrom('client_user_ids')
                .select('user_id')
                .where('team_id', '=', ctx.team.id)
                .where('client_user_id', '=', by.client_user_id),
            ),
      )
      .returning('id')
      .executeTakeFirst();
    if (!restored) throw notFound('User');
    await sendHeldDeliveries(ctx.db, restored);
    await showHeldEvents(ctx.db, { id: restored.id, team_id: ctx.team.id });
    await addJob(ctx.db, resumeKind, { overdue_seconds: 0 });
  });
}
