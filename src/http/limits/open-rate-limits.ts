import type { Config } from '../../config/options.ts';
import type { Ctx } from '../../context.ts';
import type { Caller, RefusedCaller } from '../auth/caller.ts';
import { RateLimits } from './rate-limits.ts';

/**
 * A link gets a tenth of a key's rate. People open a link only now and then, and we may have to render its document.
 */
const PART_OF_LINK = 10;
const MIN_BURST_OF_LINK = 10;

/** Counts a request and sets the rate-limit headers. Throws rate_limited if the caller sends too many requests. */
type CountRequest = (caller: Caller | RefusedCaller, setHeader: (name: string, value: string) => void) => Promise<void>;

/**
 * Limits the request rate of each key, each signed link and each user token. In addition, all links of a team together
 * have the limit of one key, and so have all its user tokens. So a team cannot send more requests by making many links
 * or tokens.
 */
export function openRateLimits(ctx: Ctx, policy: NonNullable<Config['rateLimit']>): CountRequest {
  const keys = new RateLimits(ctx, policy);
  const links = new RateLimits(ctx, {
    perSecond: Math.max(1, policy.perSecond / PART_OF_LINK),
    burst: Math.max(MIN_BURST_OF_LINK, Math.ceil(policy.burst / PART_OF_LINK)),
  });
  return async ({ key, countedAs = key?.id }, setHeader) => {
    if (key?.kind === 'signed_link') await links.take(key.id, setHeader);
    if (key?.kind === 'user_token') await keys.take(key.id, setHeader);
    if (countedAs) await keys.take(countedAs, setHeader);
  };
}
