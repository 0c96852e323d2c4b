import { sql } from 'kysely';
import type { TxCtx } from '../../../../context.ts';
import { findTeamScopeOrNull, forTeam } from '../../../../tenancy/teams/team-scope.ts';
import { receiveReport } from '../../../results/unmatched/receive-report.ts';
import type { ReadResult } from '../messages/read-result.ts';

/**
 * Gives a result whose numbers match no order to a team, if the account in the message belongs to only that team. The
 * people of the team decide whose result it is. Returns null if the account does not identify one team, or if we can
 * store no report from the message. Then the result waits for the operator.
 */
export async function handToTeam(
  tx: TxCtx,
  labId: number,
  { report, account, hasDocument }: ReadResult,
): Promise<{ team_id: string } | null> {
  if (report === null || account === '' || (hasDocument && report.observations.length === 0)) return null;
  const { rows } = await sql<{ team_id: string; lab_account_id: string }>`
    select t.id as team_id, a.id as lab_account_id
      from lab_accounts a join teams t on t.org_id = a.org_id and t.deleted_at is null
       and (a.team_id_allowlist = '{}' or t.id = any (a.team_id_allowlist))
     where a.lab_id = ${labId} and a.provider_account_id = ${account} limit 2`.execute(tx.db);
  const [known, another] = rows;
  const team = known && !another ? await findTeamScopeOrNull(tx, known.team_id) : null;
  if (!known || !team) return null;
  await receiveReport(forTeam(tx, team), { lab_id: labId, lab_account_id: known.lab_account_id, report });
  return { team_id: known.team_id };
}
