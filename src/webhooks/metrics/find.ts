import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { percentile } from '../../delivery/tallies/durations.ts';
import { readTallies } from '../../delivery/tallies/read-tallies.ts';
import { AppError } from '../../errors.ts';
import { findWebhook } from '../find.ts';
import type { INTERVALS, MetricsQuery, WebhookMetrics } from './schemas.ts';

export type Interval = (typeof INTERVALS)[number];
/** Attempts of one interval, or of several together. */
export type Counts = { succeeded: number; durations: number[] };
export type Range = { from: number; to: number; step: number };

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
export const STEP_MS: Record<Interval, number> = { '5m': 5 * MINUTE, '15m': 15 * MINUTE, '1h': 60 * MINUTE, '1d': DAY };
const MOST_INTERVALS = 1_000;

/** How deliveries to an endpoint went, or to all of the team's together (null). */
export async function findMetrics(
  ctx: TeamCtx,
  webhookId: string | null,
  query: Static<typeof MetricsQuery>,
): Promise<Static<typeof WebhookMetrics>> {
  if (webhookId !== null) await findWebhook(ctx, webhookId);
  const { interval } = query;
  const range = rangeOf(interval, query);
  const slots = await countsOf(ctx, webhookId, range);
  return {
    interval,
    since: at(range.from),
    until: at(range.to),
    total: figuresOf(slots.reduce((sum, { counts }) => add(sum, counts), NONE)),
    data: slots.map(({ start, counts }) => ({ start: at(start), ...figuresOf(counts) })),
  };
}

/** Each interval of a range, those without attempts too. */
export async function countsOf(
  ctx: TeamCtx,
  webhookId: string | null,
  { from, to, step }: Range,
): Promise<{ start: number; counts: Counts }[]> {
  const wanted = { webhook_id: webhookId, from: at(from), to: at(to), seconds: step / 1000 };
  const found = new Map((await readTallies(ctx, wanted)).map((slot) => [Date.parse(slot.start), slot]));
  return Array.from({ length: (to - from) / step }, (_, n) => {
    const start = from + n * step;
    return { start, counts: found.get(start) ?? NONE };
  });
}

const NONE: Counts = { succeeded: 0, durations: [] };
const at = (ms: number): string => new Date(ms).toISOString();
export const attemptsOf = ({ durations }: Counts): number => durations.reduce((sum, count) => sum + count, 0);

const add = (one: Counts, other: Counts): Counts => ({
  succeeded: one.succeeded + other.succeeded,
  durations: Array.from(
    { length: Math.max(one.durations.length, other.durations.length) },
    (_, n) => (one.durations[n] ?? 0) + (other.durations[n] ?? 0),
  ),
});

function figuresOf(counts: Counts): Static<typeof WebhookMetrics>['total'] {
  const attempts = attemptsOf(counts);
  const { succeeded, durations } = counts;
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(durations, share)) as (number | null)[];
  return {
    attempts,
    succeeded,
    failed: attempts - succeeded,
    success_rate: attempts === 0 ? null : succeeded / attempts,
    latency_ms: { p50: p50 ?? null, p95: p95 ?? null, p99: p99 ?? null },
  };
}

/** Whole intervals, from the one that `since` lies in to the one that `until` lies in. */
function rangeOf(interval: Interval, { since, until }: Static<typeof MetricsQuery>): Range {
  const step = STEP_MS[interval];
  const end = until === undefined ? Date.now() : Date.parse(until);
  const begin = since === undefined ? end - (interval === '1d' ? 30 * DAY : DAY) : Date.parse(since);
  const range = { from: Math.floor(begin / step) * step, to: (Math.floor(end / step) + 1) * step, step };
  if (begin > end || (range.to - range.from) / step > MOST_INTERVALS) {
    throw new AppError(
      'invalid_range',
      `since must not be after until, and between them lie at most ${MOST_INTERVALS} intervals. ` +
        'Ask for a shorter time or a longer interval.',
    );
  }
  return range;
}
