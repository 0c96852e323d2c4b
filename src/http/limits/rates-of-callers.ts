import type { Config } from '../../config/options.ts';
import type { Ctx } from '../../context.ts';
import type { Caller, Stranger } from '../auth/caller.ts';
import { RateLimits } from './rate-limits.ts';

/** A person opens a link now and then, and what it opens may have to be drawn: a link has a tenth of what a key has. */
const PART_OF_LINK = 10;
const LEAST_BURST_OF_LINK = 10;

/** Counts a request: throws rate_limited where its caller sends more than it may, and tells the headers of its allowance. */
type CountRequest = (caller: Caller | Stranger, tell: (name: string, value: string) => void) => Promise<void>;

/**
 * The rate of each key. Signed links and tokens of users have one of their own, beside that of all links and tokens of their team
 * together, which is as large as that of one key: however many are made, they send no more by that.
 */
export function openRateLimits(ctx: Ctx, policy: NonNullable<Config['rateLimit']>): CountRequest {
  const keys = new RateLimits(ctx, policy);
  const links = new RateLimits(ctx, {
    perSecond: Math.max(1, policy.perSecond / PART_OF_LINK),
    burst: Math.max(LEAST_BURST_OF_LINK, Math.ceil(policy.burst / PART_OF_LINK)),
  });
  return async ({ key, countedAs = key?.id }, tell) => {
    if (key?.kind === 'signed_link') await links.take(key.id, tell);
    if (key?.kind === 'user_token') await keys.take(key.id, tell);
    if (countedAs) await keys.take(countedAs, tell);
  };
}
