import { sql } from 'kysely';
import { Type } from 'typebox';
import type { ManagementCtx } from '../../context.ts';
import { addJob, jobKind } from '../../db/define-job.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../../errors.ts';

/** The job that erases what is left of deleted teams. The clock asks for it too: what the queue loses is found again. */
export const teamErasureKind = jobKind({ name: 'erase_deleted_teams', payload: Type.Object({}) });

/**
 * Revokes the team's keys at once and has everything of it erased in the background. There is no way back.
 * Throws not_found for a team of another organisation, and for one that is deleted already.
 */
export function deleteTeam(ctx: ManagementCtx, teamId: string): Promise<void> {
  return inTransaction(ctx, async ({ db }) => {
    const team = await db
      .updateTable('teams')
      // Its reference is free for another team at once.
      .set({ deleted_at: sql<string>`now()`, integration_team_id: null })
      .where('id', '=', teamId)
      .where('org_id', '=', ctx.org.id)
      .where('deleted_at', 'is', null)
      .returning('id')
      .executeTakeFirst();
    if (!team) throw notFound('Team');
    await db
      .updateTable('team_api_keys')
      .set({ revoked_at: sql<string>`now()` })
      .where('team_id', '=', team.id)
      .where('revoked_at', 'is', null)
      .execute();
    await addJob(db, teamErasureKind, {}, { key: teamErasureKind.name });
  });
}
