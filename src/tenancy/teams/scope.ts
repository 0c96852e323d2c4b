import type { Ctx, TeamCtx, TxCtx } from '../../context.ts';

/** What background work needs to act for a team; null where the team is gone. */
export async function findTeamScope(ctx: Pick<Ctx | TxCtx, 'db'>, teamId: string): Promise<TeamCtx['team'] | null> {
  const team = await ctx.db
    .selectFrom('teams')
    .select(['id', 'org_id', 'settings'])
    .where('id', '=', teamId)
    .executeTakeFirst();
  return team ? { ...team, settings: team.settings as TeamCtx['team']['settings'] } : null;
}
