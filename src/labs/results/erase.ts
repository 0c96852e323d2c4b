import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../../context.ts';
import type { Exports } from '../../privacy/export-rows.ts';

export const EXPORTS: Exports = {
  ofTeam: [{ type: 'unmatched_result', table: 'unmatched_results', key: ['id'] }],
  ofUser: [
    { type: 'result', table: 'lab_results', key: ['order_id', 'version'] },
    { type: 'result_document', table: 'lab_result_documents', key: ['order_id', 'version', 'n'] },
    { type: 'unmatched_candidate', table: 'unmatched_candidates', key: ['order_id', 'unmatched_result_id'] },
  ],
};

/** How long a report stays after somebody has decided about it: what was accepted is with its order by then. */
const KEPT_DAYS = 90;

/**
 * Results hang on their order. A report that waits for a decision goes with the user whom it was accepted for, and with
 * the only one whom it may be of: it is theirs as far as anybody can tell.
 */
export async function eraseUser({ db, team }: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  await sql`
    delete from unmatched_results u
     where team_id = ${team.id} and (user_id = ${user.id} or (
       exists (select from unmatched_candidates c where c.unmatched_result_id = u.id and c.user_id = ${user.id})
       and not exists (select from unmatched_candidates c where c.unmatched_result_id = u.id and c.user_id <> ${user.id})))`.execute(
    db,
  );
}

export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('unmatched_results').where('team_id', '=', team.id).execute();
}

export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`delete from unmatched_results where status = 'resolved'
    and reviewed_at < now() - make_interval(days => ${KEPT_DAYS})`.execute(db);
}
