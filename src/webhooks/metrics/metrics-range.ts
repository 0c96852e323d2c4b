import type { Requirement } from '../../wire/rules.ts';

export const INTERVALS = ['5m', '15m', '1h', '1d'] as const;
export type Interval = (typeof INTERVALS)[number];
/** A time range that consists of complete intervals. */
export type Range = { from: number; to: number; step: number };
type Query = { interval: Interval; since?: string; until?: string };

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
export const STEP_MS: Record<Interval, number> = { '5m': 5 * MINUTE, '15m': 15 * MINUTE, '1h': 60 * MINUTE, '1d': DAY };
const MAX_INTERVALS = 1_000;

/** Returns the range of complete intervals that contains `since` and `until`. */
export function rangeOf({ interval, since, until }: Query): Range {
  const step = STEP_MS[interval];
  const end = until === undefined ? Date.now() : Date.parse(until);
  const begin = since === undefined ? end - (interval === '1d' ? 30 * DAY : DAY) : Date.parse(since);
  return { from: Math.floor(begin / step) * step, to: (Math.floor(end / step) + 1) * step, step };
}

export const IN_RANGE: Requirement = {
  words: `\`since\` is not after \`until\`, and there are at most ${MAX_INTERVALS} intervals between them.`,
  check: (query) => {
    if (!(INTERVALS as readonly unknown[]).includes(query['interval'])) return [];
    const { since, until } = query as Query;
    const end = until === undefined ? Date.now() : Date.parse(until);
    if (since !== undefined && Date.parse(since) > end)
      return [{ at: ['since'], type: 'value_error', msg: 'Value should not be after until, or now' }];
    const { from, to, step } = rangeOf(query as Query);
    if (!((to - from) / step > MAX_INTERVALS)) return [];
    const msg = `At most ${MAX_INTERVALS} intervals are allowed: ask for a shorter time or a longer interval`;
    return [{ at: ['since'], type: 'value_error', msg }];
  },
};
