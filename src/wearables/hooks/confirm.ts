import type { Static } from 'typebox';
import type { Ctx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { isSame } from '../../privacy/is-same.ts';
import { hasOurToken, hookTokenOf } from '../providers/notifier.ts';
import { findHook } from './receive.ts';
import type { Challenge, Confirmation } from './schemas.ts';

type Asked = { provider: string; token: string | null; query: Static<typeof Challenge> };

/** Gives back what a provider wants to have back. Of one that looks only whether somebody is there, as Withings does by HEAD, nothing. */
export async function confirm(ctx: Ctx, { provider, token, query }: Asked): Promise<Static<typeof Confirmation>> {
  const { secret } = findHook(ctx, provider);
  const told = query['hub.verify_token'] ?? query.verification_token;
  const isOurs =
    told === undefined ? hasOurToken(secret, { headers: {}, token, body: '' }) : isSame(told, hookTokenOf(secret));
  if (!isOurs) throw new AppError('signature_refused', 'The token is not that of this deployment.');
  const [strava, oura] = [query['hub.challenge'], query.challenge];
  return {
    ...(strava === undefined ? {} : { 'hub.challenge': strava }),
    ...(oura === undefined ? {} : { challenge: oura }),
  };
}
