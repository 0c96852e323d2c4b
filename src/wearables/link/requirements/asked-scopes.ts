import type { TeamCtx } from '../../../context.ts';
import type { Connector } from '../../providers/connector.ts';
import { listRequirements } from './list.ts';

/**
 * What a user of the team is asked for at the provider's page, and what of it must be granted. A team's own choice comes with
 * what the connection cannot be held without, such as the right to renew its tokens.
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
