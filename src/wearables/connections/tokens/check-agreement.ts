import type { TeamCtx } from '../../../context.ts';
import { getValidToken } from './valid-token.ts';

/**
 * Requests a new token from the provider, even if the current one is valid. If the user has ended the agreement at the
 * provider, the provider refuses the request. Then the connection gets the error `deregistered_per_provider`. Throws
 * ProviderUnavailable if the provider cannot be reached.
 */
export async function checkAgreement(ctx: TeamCtx, connection: { user_id: string; provider: string }): Promise<void> {
  const token = await getValidToken(ctx, connection, undefined, 'deregistered_per_provider');
  if (token !== null) await getValidToken(ctx, connection, token, 'deregistered_per_provider');
}
