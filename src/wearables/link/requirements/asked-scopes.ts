import type { TeamCtx } from '../../../context.ts';
import type { Connector } from '../../providers/connector.ts';
import { listRequirements } from './list.ts';

/**
 * Returns the scopes that we request from the team's users at the provider's page, and those that a user must grant.
 * Adds to the team's choice the scopes that every connection needs, for example the right to renew its tokens.
 */
export async function findAskedScopes(
  ctx: TeamCtx,
  { slug, oauth }: Connector,
): Promise<{ asked: string[]; must: string[] }> {
  const [chosen] = await listRequirements(ctx, slug);
  if (!chosen) return { asked: [...oauth.scopes], must: [] };
  const { user_must_grant: must, user_may_grant: may } = chosen;
  return { asked: [...new Set([...(oauth.always_scopes ?? []), ...must, ...may])], must };
}
