import type { Ctx, TeamCtx, TxCtx } from '../../context.ts';
import { boundToTeam } from '../../db/session/bind.ts';

/** The context of a team, as its own API key has it: its database shows the team's rows only. */
export const forTeam = <C extends Ctx | TxCtx>(ctx: C, team: TeamCtx['team']): C & Pick<TeamCtx, 'team'> => ({
  ...boundToTeam(ctx, team.id),
  team,
});

/** What background work needs to act for a team (see forTeam); null where the team is gone, or deleted and about to be. */
export async function findTeamScopeOrNull(
  ctx: Pick<Ctx | TxCtx, 'db'>,
  teamId: string,
): Promise<TeamCtx['team'] | null> {
  const team = await boundToTeam(ctx, teamId)
    .db.selectFrom('teams')
    .select(['id', 'org_id', 'settings'])
    .where('id', '=', teamId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return team ? { ...team, settings: team.settings as TeamCtx['team']['settings'] } : null;
}
