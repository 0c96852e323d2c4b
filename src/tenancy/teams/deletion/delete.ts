import { sql } from 'kysely';
import { Type } from 'typebox';
import type { ManagementCtx } from '../../../context.ts';
import { addJob, jobKind } from '../../../db/define-job.ts';
import { boundToManagedTeam } from '../../../db/session/bind.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { notFound } from '../../../errors.ts';
import { Uuid } from '../../../wire/schema.ts';
import { DELETION_COLUMNS, type DeletionRow } from './render.ts';

/**
 * The job that erases what is left of a deleted team, for a while, and asks for itself again. The clock asks for it too:
 * what the queue loses is found again.
 */
export const teamErasureKind = jobKind({
  name: 'erase_deleted_team',
  payload: Type.Object({ team_id: Uuid }),
  key: ({ team_id }) => `erase team ${team_id}`,
  class: 'erasures',
});

/**
 * Revokes the team's keys at once, stops its webhooks and has everything of it erased in the background. There is no way
 * back. Throws not_found for a team of another organisation, and for one that is deleted already.
 */
export function deleteTeam(ctx: ManagementCtx, teamId: string): Promise<DeletionRow> {
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
    await addJob(db, teamErasureKind, { team_id: team.id });
    // A team that was given the id of a deleted one is told of from now on, and the other no more.
    const anew = { org_id: ctx.org.id, requested_at: sql<string>`now()`, started_at: null, ended_at: null };
    const uncounted = { users: null, erased_users: 0, rooms: null, erased_rooms: 0 };
    return boundToManagedTeam({ db }, { id: team.id, org_id: ctx.org.id })
      .db.insertInto('team_deletions')
      .values({ id: team.id, org_id: ctx.org.id })
      .onConflict((oc) => oc.column('id').doUpdateSet({ ...anew, ...uncounted }))
      .returning(DELETION_COLUMNS)
      .executeTakeFirstOrThrow();
  });
}
