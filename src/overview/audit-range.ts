import type { Requirement } from '../wire/rules.ts';

const DAY_MS = 86_400_000;
const USUAL_DAYS = 31;
const MAX_DAYS = 366;

type Query = { since?: string | undefined; until?: string | undefined };

/** Returns the range of a request, in milliseconds since 1970: the last 31 days by default. `to` is not within it. */
export function auditRangeOf({ since, until }: Query): { from: number; to: number } {
  const to = until === undefined ? Date.now() + DAY_MS : Date.parse(until) + 1;
  const from = since === undefined ? Math.min(to, Date.now()) - USUAL_DAYS * DAY_MS : Date.parse(since);
  return { from: Math.max(from, 0), to: Math.max(to, 0) };
}

export const IN_AUDIT_RANGE: Requirement = {
  words: `\`since\` is not after \`until\`, and there are at most ${MAX_DAYS} days between them.`,
  check: (query) => {
    const { since, until } = query as Query;
    if (since === undefined) return [];
    const [from, to] = [Date.parse(since), until === undefined ? Date.now() : Date.parse(until)];
    if (from > to) return [{ at: ['since'], type: 'value_error', msg: 'Value should not be after until, or now' }];
    if (!(to - from > MAX_DAYS * DAY_MS)) return [];
    return [
      { at: ['since'], type: 'value_error', msg: `At most ${MAX_DAYS} days are allowed: ask for a shorter time` },
    ];
  },
};
