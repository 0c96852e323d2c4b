import { recordAudit } from '../../audit/record-audit.ts';
import { inTransaction } from '../../db/transaction.ts';
import { issueKits } from '../../labs/orders/testkit/issue-kits.ts';
import { findTeamScopeOrNull, forTeam } from '../../tenancy/teams/team-scope.ts';
import { UsageError } from '../command.ts';
import { printJson } from '../print.ts';
import { OPERATOR } from '../with-change.ts';
import { withCtx } from '../with-ctx.ts';

const MOST = 10_000;

type Issue = { team: string; count: string; json: boolean };

export function issueKitsCommand({ team: teamId, count, json }: Issue): Promise<number> {
  if (!/^\d{1,5}$/.test(count) || Number(count) < 1 || Number(count) > MOST)
    throw new UsageError(`phial lab issue-kits takes a number from 1 to ${MOST} as --count.`);
  return withCtx('lab issue-kits', async (ctx) => {
    const team = await findTeamScopeOrNull(ctx, teamId);
    if (!team) {
      console.error(`There is no team ${teamId}.`);
      return 1;
    }
    const ids = await inTransaction(forTeam(ctx, team), async (tx) => {
      const { org_id, id: team_id } = team;
      await recordAudit(tx, { org_id, team_id, actor: OPERATOR, action: 'lab issue-kits', records: [team_id] });
      return issueKits(tx, Number(count));
    });
    if (json) printJson({ kit_ids: ids });
    else for (const id of ids) console.log(id);
    return 0;
  });
}
