import type { TeamCtx } from '../../../context.ts';
import type { Connector } from '../../providers/connector.ts';
import { listRequirements } from './list.ts';

/**
 * Returns the scopes that we request from a user of the team at the provider's page, and those that the user must
 * grant. To the scopes that the team has chosen, it adds those without which a connection cannot last, for example the
 * right to renew its tokens.
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
