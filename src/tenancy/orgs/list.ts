import type { Ctx } from '../../context.ts';
import { acrossTeams } from '../../db/session/bind.ts';

/** Enough for any one deployment, and few enough to be read at once. */
const MOST_LISTED = 10_000;

export type ListedOrg = { org_id: string; name: string; plan: string; created_at: string };

/** Every organisation of the deployment, oldest first, for the operator. */
export const listOrgs = (ctx: Ctx): Promise<ListedOrg[]> =>
  acrossTeams(ctx)
    .db.selectFrom('orgs')
    .select(['id as org_id', 'name', 'plan', 'created_at'])
    .orderBy('created_at')
    .orderBy('id')
    .limit(MOST_LISTED)
    .execute();
