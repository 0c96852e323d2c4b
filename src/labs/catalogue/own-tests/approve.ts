import { sql } from 'kysely';
import type { Ctx, TeamCtx } from '../../../context.ts';
import { notFound } from '../../../errors.ts';
import { findTeamScopeOrNull, forTeam } from '../../../tenancy/teams/team-scope.ts';

/**
 * Approves a lab test, so that clients can order it. If the team has deactivated the lab test meanwhile, it stays
 * inactive, and the team can activate it. A second approval changes nothing. Throws not_found.
 */
export async function approveLabTest(ctx: TeamCtx, labTestId: string): Promise<void> {
  const { rows } = await sql`
    update lab_tests set approved_at = coalesce(approved_at, now()),
           updated_at = case when approved_at is null then now() else updated_at end,
           status = case when status = 'pending_approval' then 'active' else status end
     where id = ${labTestId} and team_id = ${ctx.team.id} returning id`.execute(ctx.db);
  if (rows.length === 0) throw notFound('Lab test');
}

/** Approves a lab test for the operator, who names its team. */
export async function approveLabTestOf(ctx: Ctx, teamId: string, labTestId: string): Promise<{ org_id: string }> {
  const team = await findTeamScopeOrNull(ctx, teamId);
  if (!team) throw notFound('Team');
  await approveLabTest(forTeam(ctx, team), labTestId);
  return { org_id: team.org_id };
}
