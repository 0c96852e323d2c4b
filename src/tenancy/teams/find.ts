import type { ManagementCtx, TeamCtx } from '../../context.ts';
import { AppError, notFound } from '../../errors.ts';

/** A team of the caller's organisation; refused to a Team Management Key that is not bound to it. */
export async function findManagedTeam(ctx: ManagementCtx, teamId: string): Promise<TeamCtx['team']> {
  const team = await ctx.db
    .selectFrom('teams')
    .select(['id', 'org_id', 'settings'])
    .where('org_id', '=', ctx.org.id)
    .where('id', '=', teamId)
    .executeTakeFirst();
  if (!team) throw notFound('Team');
  if (ctx.key.team_ids && !ctx.key.team_ids.includes(team.id)) {
    throw new AppError('insufficient_scope', 'This Team Management Key is not bound to that team.');
  }
  return { ...team, settings: team.settings as TeamCtx['team']['settings'] };
}
