// An answer tells how much an application may still ask for everybody together; pulls of the past leave a part of it.
import type { Headers, Hold } from '../provider-api.ts';
import { numberOr } from './read-answer.ts';

/** What an application may ask within a time, what of it is used, and the seconds until it may ask anew. */
export type Share = { limit: number | null; used: number | null; seconds: number };

/** The part of each share that pulls of the past may use. */
const SHARE_OF_PAST = 0.8;
/** However long a provider asks for: an answer that was misread, or was meant otherwise, stops nobody for longer. */
const LONGEST_SECONDS = 3_600;

/**
 * Who may not ask for how long. Too many requests although no share of the application is shown as used up are the affair of
 * the team that asked, for `refusedSeconds`.
 */
export function holdOfShares(status: number, shares: readonly Share[], refusedSeconds: number): Hold {
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

/** The numbers of a header such as `200, 2000`; null for what is none. */
export const numbersOf = (headers: Headers, name: string): (number | null)[] =>
  String(headers[name] ?? '')
    .split(',')
    .map((part) => numberOr(part.split(';')[0]));
