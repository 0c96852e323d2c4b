import type { Ctx } from '../../context.ts';
import { acrossTeams } from '../../db/session/bind.ts';

/** The most teams in the list. That is enough for every deployment, and still few enough for one query. */
const MAX_LISTED = 10_000;

export type ListedTeam = {
  team_id: string;
  org_id: string;
  name: string;
  created_at: string;
  deleted_at: string | null;
};

/**
 * Lists all teams of the deployment or of one organisation, including deleted ones, the oldest first. Only the operator
 * may call it.
 */
export const listAllTeams = (ctx: Ctx, orgId: string | null): Promise<ListedTeam[]> =>
  acrossTeams(ctx)
    .db.selectFrom('teams')
    .select(['id as team_id', 'org_id', 'name', 'created_at', 'deleted_at'])
    .$if(orgId !== null, (query) => query.where('org_id', '=', orgId as string))
    .orderBy('created_at')
    .orderBy('id')
    .limit(MAX_LISTED)
    .execute();
