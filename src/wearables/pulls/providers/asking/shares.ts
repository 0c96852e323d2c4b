// An answer tells how much an application may still ask for everybody together; pulls of the past leave a part of it.
import type { Headers } from './ask-provider.ts';
import type { Hold } from './hold-back.ts';
import { numberOr } from './read-answer.ts';

/** What an application may ask within a time, what of it is used, and the seconds until it may ask anew. */
export type Share = { limit: number | null; used: number | null; seconds: number };

/** The part of each share that pulls of the past may use. */
const SHARE_OF_PAST = 0.8;
const FREE: Hold = { pollsSeconds: 0, pastSeconds: 0 };

/** How long the application may not ask; null: it may. Too many requests end at the latest after `refusedSeconds`. */
export function holdOfShares(status: number, shares: readonly Share[], refusedSeconds: number): Hold | null {
  let hold = status === 429 ? { pollsSeconds: refusedSeconds, pastSeconds: refusedSeconds } : FREE;
  for (const { limit, used, seconds } of shares) {
    if (limit === null || used === null || limit <= 0 || used < limit * SHARE_OF_PAST) continue;
    hold = {
      pollsSeconds: Math.max(hold.pollsSeconds, used >= limit ? seconds : 0),
      pastSeconds: Math.max(hold.pastSeconds, seconds),
    };
  }
  return hold === FREE ? null : hold;
}

/** The numbers of a header such as `200, 2000`; null for what is none. */
export const numbersOf = (headers: Headers, name: string): (number | null)[] =>
  String(headers[name] ?? '')
    .split(',')
    .map((part) => numberOr(part.split(';')[0]));
