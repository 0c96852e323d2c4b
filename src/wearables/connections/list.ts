import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { findUser } from '../../users/find.ts';
import { resourceAvailability } from './resource-availability.ts';
import { messageOf, type ConnectionError } from './error-messages.ts';
import { namedProvider } from '../providers/named.ts';
import { progressOf, type Progress } from './connection-progress.ts';
import type { ConnectionsOfUser } from './schemas.ts';
import { openExternalUser } from './tokens/sealed-tokens.ts';

/** Returns the connections of a user, the oldest first. */
export async function listConnections(ctx: TeamCtx, userId: string): Promise<Static<typeof ConnectionsOfUser>> {
  await findUser(ctx, userId);
  const rows = await ctx.db
    .selectFrom('connections')
    .select(['user_id', 'team_id', 'provider', 'status', 'external_user_id', 'granted_scopes'])
    .select(['error_type', 'errored_at', 'created_at'])
    .where('user_id', '=', userId)
    .where('team_id', '=', ctx.team.id)
    .orderBy('created_at')
    .orderBy('provider')
    .execute();
  const progress = await progressOf(ctx, userId);
  // A connection may end between the two statements. Then the response leaves it out.
  const there = rows.filter(({ provider }) => progress.has(provider));
  const providers = there.map((row) => ({
    ...namedProvider(ctx.config, row.provider),
    created_on: row.created_at,
    status: row.status,
    external_user_id: openExternalUser(
      ctx,
      { team_id: row.team_id, id: `${row.user_id}/${row.provider}` },
      row.external_user_id,
    ),
    error_details:
      row.error_type === null || row.errored_at === null
        ? null
        : {
            error_type: row.error_type as ConnectionError,
            error_message: messageOf(row.error_type),
            errored_at: row.errored_at,
          },
    resource_availability: resourceAvailability(row.provider, row.granted_scopes),
    ...(progress.get(row.provider) as Progress),
  }));
  return { providers };
}
