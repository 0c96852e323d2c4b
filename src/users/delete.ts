import { sql } from 'kysely';
import { Type } from 'typebox';
import type { TeamCtx } from '../context.ts';
import { addJob, jobKind } from '../db/define-job.ts';
import { inTransaction } from '../db/transaction.ts';
import { sendDeferredDeliveries } from '../delivery/defer-deliveries.ts';
import { notFound } from '../errors.ts';
import { showDeferredEvents } from '../events/deferred-events.ts';

/** The job that resumes simulated orders of a sandbox. They stop while their user is scheduled for deletion. */
export const resumeKind = jobKind({
  name: 'resume_simulations',
  payload: Type.Object({ overdue_seconds: Type.Integer() }),
});

/** The number of days between the deletion of a user and the erasure of all data of this user. */
export const GRACE_DAYS = 7;

/**
 * The value of deleted_at for a user whose erasure has begun. An erasure takes several transactions. After the first of
 * them, nobody can undo the deletion.
 */
export const ERASURE_BEGAN = '-infinity';

/**
 * Schedules the erasure of a user. Until the erasure begins, undoDeleteUser restores the user with all data. A second
 * call changes nothing.
 */
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
 * Undoes the deletion of the user with this user_id or this client_user_id. If the user is not scheduled for deletion,
 * the user does not change. Throws not_found if the erasure has begun.
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
    await sendDeferredDeliveries(ctx.db, restored);
    await showDeferredEvents(ctx.db, { id: restored.id, team_id: ctx.team.id });
    await addJob(ctx.db, resumeKind, { overdue_seconds: 0 });
  });
}
