import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { boundToManagedTeam } from '../../db/session/bind.ts';
import type { ExportedRow, Exports } from '../../privacy/export-rows.ts';

export const EXPORTS: Exports = {
  ofTeam: [
    { type: 'lab_test', table: 'lab_tests', key: ['id'] },
    { type: 'lab_test_marker', tables: ['lab_test_markers'], lines: markersOfTests },
  ],
};

/** Exports the markers of each lab test of the team. A lab test has a few hundred markers at most. */
async function* markersOfTests({ db, team }: TeamCtx): AsyncIterable<ExportedRow> {
  const tests = await db.selectFrom('lab_tests').select('id').where('team_id', '=', team.id).orderBy('id').execute();
  for (const { id } of tests)
    yield* await db
      .selectFrom('lab_test_markers')
      .selectAll()
      .where('lab_test_id', '=', id)
      .orderBy('marker_id')
      .execute();
}

/**
 * Erases the team's lab tests with their markers, and removes the team from the allowlists of lab accounts. The caller
 * has already erased the orders of these lab tests. An empty allowlist would open an account to all teams. So if an
 * account lists only this team, we suspend the account.
 */
export async function eraseTeam(ctx: TxCtx<TeamCtx>, team: TeamCtx['team']): Promise<void> {
  await ctx.db.deleteFrom('lab_tests').where('team_id', '=', team.id).execute();
  await sql`
    update lab_accounts set team_id_allowlist = array_remove(team_id_allowlist, ${team.id}::uuid),
           status = case when cardinality(team_id_allowlist) = 1 then 'suspended' else status end
     where org_id = ${team.org_id} and ${team.id}::uuid = any (team_id_allowlist)`.execute(
    boundToManagedTeam(ctx, team).db,
  );
}
