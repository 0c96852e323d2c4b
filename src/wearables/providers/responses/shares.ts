// Reads from a response how many requests an application may still send for all its users. Pulls of the past do not use
// all of them, so that polls can go on.
import type { Headers, ProviderWaits } from '../provider-api.ts';
import { numberOr } from './read-response.ts';

/** A limit of requests in a period: the limit, the requests so far, and the seconds until the count is reset. */
export type Share = { limit: number | null; used: number | null; seconds: number };

/** The part of each limit that pulls of the past may use. */
const SHARE_OF_PAST = 0.8;
/** The longest wait, also if a provider asks for more. If we misread a response, we do not stop requests for longer. */
const LONGEST_SECONDS = 3_600;

/**
 * Returns how long we must not send requests for an application or for a team. If the status is 429 although no limit
 * of the application is used up, only the team whose request was refused waits, for `refusedSeconds`.
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
