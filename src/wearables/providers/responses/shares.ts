// Reads from a response how many requests an application may still send for all its users. Pulls of the past may use
// only a part of them, so that polls can go on.
import type { Headers, ProviderWaits } from '../provider-api.ts';
import { numberOr } from './read-response.ts';

/** A limit of requests in a period: the limit, the requests so far, and the seconds until the period ends. */
export type Share = { limit: number | null; used: number | null; seconds: number };

/** The share of each limit at which pulls of the past stop. */
const SHARE_OF_PAST = 0.8;
/**
 * The longest wait, even if a provider asks for a longer one. If we misread a response, requests stop no longer than
 * this.
 */
const LONGEST_SECONDS = 3_600;

/**
 * Returns how long no more requests may be sent for an application or for a team. If a response has status 429 although
 * no limit of the application is used up, only the team of that request waits, for `refusedSeconds`.
 */
export function waitsOfShares(status: number, shares: readonly Share[], refusedSeconds: number): ProviderWaits {
  const full = shares.filter(({ limit, used }) => isUsed(limit, used, SHARE_OF_PAST));
  const over = full.filter(({ limit, used }) => isUsed(limit, used, 1));
  const refused = Math.min(refusedSeconds, LONGEST_SECONDS);
  const isOwn = status === 429 && over.length === 0;
  return {
    application: full.length === 0 ? null : { pollsSeconds: longest(over), pastSeconds: longest(full) },
    team: isOwn ? { pollsSeconds: refused, pastSeconds: refused } : null,
  };
}

const isUsed = (limit: number | null, used: number | null, part: number): boolean =>
  limit !== null && used !== null && limit > 0 && used >= limit * part;

const longest = (shares: readonly Share[]): number =>
  Math.min(Math.max(0, ...shares.map(({ seconds }) => seconds)), LONGEST_SECONDS);

/** Returns the numbers of a header like `200, 2000`, with null for each part that is not a number. */
export const numbersOf = (headers: Headers, name: string): (number | null)[] =>
  String(headers[name] ?? '')
    .split(',')
    .map((part) => numberOr(part.split(';')[0]));
