import type { TeamCtx } from '../../../context.ts';
import { freshToken } from './fresh-token.ts';

/**
 * Asks the provider for another token, whatever the one at hand is good for: a provider with which the user has ended the
 * agreement refuses, and the connection is in error for that reason. Throws ProviderUnavailable where it cannot be asked
 * now.
 */
export async function checkAgreement(ctx: TeamCtx, place: { user_id: string; provider: string }): Promise<void> {
  const token = await freshToken(ctx, place, undefined, 'deregistered_per_provider');
  if (token !== null) await freshToken(ctx, place, token, 'deregistered_per_provider');
}
