import type { Ctx } from '../src/context.ts';
import { acrossTeams } from '../src/db/session/bind.ts';
import { eraseSomeOfTeam } from '../src/jobs/erase-teams.ts';

/** Erases every deleted team completely, as the jobs do step by step. */
export async function eraseTeams(ctx: Ctx): Promise<void> {
  const teams = await acrossTeams(ctx)
    .db.selectFrom('teams')
    .select('id')
    .where('deleted_at', 'is not', null)
    .execute();
  for (const { id } of teams) while (await eraseSomeOfTeam(ctx, id));
}
