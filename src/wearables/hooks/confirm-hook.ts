import type { Static } from 'typebox';
import type { Ctx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { equalInConstantTime } from '../../privacy/equal-in-constant-time.ts';
import { hasOurToken, hookTokenOf } from '../providers/notification-reader.ts';
import { findHook } from './receive-hook.ts';
import type { Challenge, Confirmation } from './schemas.ts';

type ChallengeRequest = { provider: string; token: string | null; query: Static<typeof Challenge> };

/**
 * Responds to a challenge: a provider checks that the address for its notifications is ours. Returns the value that the
 * challenge asks for. Some providers only check that the address responds, as Withings does by a HEAD request. For them
 * the response is empty.
 */
export async function confirm(
  ctx: Ctx,
  { provider, token, query }: ChallengeRequest,
): Promise<Static<typeof Confirmation>> {
  const { secret } = findHook(ctx, provider);
  const verifyToken = query['hub.verify_token'] ?? query.verification_token;
  const isOurs =
    verifyToken === undefined
      ? hasOurToken(secret, { headers: {}, token, body: '' })
      : equalInConstantTime(verifyToken, hookTokenOf(secret));
  if (!isOurs) throw new AppError('signature_refused', 'The token is not that of this deployment.');
  const [strava, oura] = [query['hub.challenge'], query.challenge];
  return {
    ...(strava === undefined ? {} : { 'hub.challenge': strava }),
    ...(oura === undefined ? {} : { challenge: oura }),
  };
}
