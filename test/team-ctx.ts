import type { Ctx, TeamCtx } from '../src/context.ts';
import { findTeamScopeOrNull, forTeam } from '../src/tenancy/teams/scope.ts';

/** A team's context, as its background work has it. */
export async function teamCtx(ctx: Ctx, teamId: string): Promise<TeamCtx> {
  const team = await findTeamScopeOrNull(ctx, teamId);
  if (!team) throw new Error(`There is no team ${teamId}.`);
  return forTeam(ctx, team);
}
