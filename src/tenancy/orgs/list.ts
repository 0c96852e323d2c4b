import type { Ctx } from '../../context.ts';
import { acrossTeams } from '../../db/session/bind.ts';

/** The most organisations in the list. That is enough for every deployment, and still few enough for one query. */
const MAX_LISTED = 10_000;

export type ListedOrg = { org_id: string; name: string; plan: string; created_at: string };

/** Lists all organisations of the deployment, the oldest first. Only the operator may call it. */
export const listOrgs = (ctx: Ctx): Promise<ListedOrg[]> =>
  acrossTeams(ctx)
    .db.selectFrom('orgs')
    .select(['id as org_id', 'name', 'plan', 'created_at'])
    .orderBy('created_at')
    .orderBy('id')
    .limit(MAX_LISTED)
    .execute();
