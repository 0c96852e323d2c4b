import type { Ctx, TeamCtx } from '../src/context.ts';
import { findTeamScopeOrNull, forTeam } from '../src/tenancy/teams/team-scope.ts';

/** The context of a team in background work. */
export async function teamCtx(ctx: Ctx, teamId: string): Promise<TeamCtx> {
  const team = await findTeamScopeOrNull(ctx, teamId);
  if (!team) throw new Error(`There is no team ${teamId}.`);
  return forTeam(ctx, team);
}
