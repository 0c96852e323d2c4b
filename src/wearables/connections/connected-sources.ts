import type { ConnectedSource, TeamCtx } from '../../context.ts';
import { prepared } from '../../db/session/prepared.ts';
import { namedProvider } from '../providers/named.ts';
import { sql } from 'kysely';

/**
 * Returns the providers that each of these users of the team has connected, the oldest connection first. The result has
 * no entry for a user without a connection.
 */
export async function connectedSources(
  ctx: TeamCtx,
  userIds: string[],
): Promise<ReadonlyMap<string, ConnectedSource[]>> {
  const rows = await ctx.db
    .selectFrom('connections')
    .select(['user_id', 'provider', 'created_at'])
    .where(sql<boolean>`user_id = any (${userIds}::uuid[])`)
    .where('team_id', '=', ctx.team.id)
    .orderBy('created_at')
    .orderBy('provider')
    .$call(prepared('connected sources'))
    .execute();
  const found = new Map<string, ConnectedSource[]>();
  for (const { user_id, provider, created_at } of rows) {
    const name = namedProvider(ctx.config, provider);
    const source = { provider: name, created_on: created_at, source: name };
    found.set(user_id, [...(found.get(user_id) ?? []), source]);
  }
  return found;
}
