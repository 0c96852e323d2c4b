import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../../context.ts';
import type { Exports } from '../../privacy/export-rows.ts';

export const EXPORTS: Exports = {
  ofTeam: [{ type: 'unmatched_result', table: 'unmatched_results', key: ['id'] }],
  ofUser: [
    { type: 'result', table: 'lab_results', key: ['order_id', 'version'] },
    { type: 'critical_result', table: 'critical_results', key: ['order_id', 'id'] },
    { type: 'result_document', table: 'lab_result_documents', key: ['order_id', 'version', 'n'] },
    { type: 'unmatched_candidate', table: 'unmatched_candidates', key: ['order_id', 'unmatched_result_id'] },
  ],
};

/**
 * Days for which we store an unmatched report after a person has decided about it. If the person accepted it, the order
 * has the results already.
 */
const RETENTION_DAYS = 90;

/**
 * Deletes the unmatched reports of a user. These are the reports that somebody accepted for this user, and the reports
 * whose only candidate is this user. Foreign keys delete the results of an order together with the order.
 */
export async function eraseUser({ db, team }: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  await sql`
    delete from unmatched_results u
     where team_id = ${team.id} and (user_id = ${user.id} or (
       exists (select from unmatched_candidates c where c.unmatched_result_id = u.id and c.user_id = ${user.id})
       and not exists (
         select from unmatched_candidates c where c.unmatched_result_id = u.id and c.user_id <> ${user.id})))`.execute(
    db,
  );
}

export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('unmatched_results').where('team_id', '=', team.id).execute();
}

export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`delete from unmatched_results where status = 'resolved'
    and reviewed_at < now() - make_interval(days => ${RETENTION_DAYS})`.execute(db);
}
