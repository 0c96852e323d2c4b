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
 * The kind of the job that erases a deleted team. Each run erases a part of the data and then adds the job again. A
 * recurring job adds it too, in case the queue loses it.
 */
export const teamErasureKind = jobKind({
  name: 'erase_deleted_team',
  payload: Type.Object({ team_id: Uuid }),
  key: ({ team_id }) => `erase team ${team_id}`,
  class: 'erasures',
});

/**
 * Deletes a team. It revokes the team's API keys and stops its webhooks immediately. A job then erases all data of the
 * team. A deletion cannot be undone. Throws not_found for a team of another organisation and for a team that is already
 * deleted.
 */
export function deleteTeam(ctx: ManagementCtx, teamId: string): Promise<DeletionRow> {
  return inTransaction(ctx, async ({ db }) => {
    const team = await db
      .updateTable('teams')
      // We clear the integration_team_id, so that another team can use it immediately.
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
    // createTeam refuses the id of a deleted team, but older versions accepted it. So two deleted teams can have the
    // same id. Then the row of the second deletion replaces the row of the first.
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
