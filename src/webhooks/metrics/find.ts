import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { percentile } from '../../delivery/tallies/durations.ts';
import { readTallies } from '../../delivery/tallies/read-tallies.ts';
import { findWebhook } from '../endpoints/find.ts';
import { rangeOf, type Range } from './metrics-range.ts';
import type { MetricsQuery, WebhookMetrics } from './schemas.ts';

/** The counts of attempts in one interval, or the sums of several intervals. */
export type Counts = { succeeded: number; durations: number[] };

/** Returns the figures of deliveries to one endpoint. `webhookId` is null for all endpoints of the team. */
export async function findMetrics(
  ctx: TeamCtx,
  webhookId: string | null,
  query: Static<typeof MetricsQuery>,
): Promise<Static<typeof WebhookMetrics>> {
  if (webhookId !== null) await findWebhook(ctx, webhookId);
  const range = rangeOf(query);
  const intervals = await countsOf(ctx, webhookId, range);
  return {
    interval: query.interval,
    since: at(range.from),
    until: at(range.to),
    total: figuresOf(intervals.reduce((sum, { counts }) => add(sum, counts), NONE)),
    data: intervals.map(({ start, counts }) => ({ start: at(start), ...figuresOf(counts) })),
  };
}

/** Returns every interval of a range, with zeros for those without attempts. */
export async function countsOf(
  ctx: TeamCtx,
  webhookId: string | null,
  { from, to, step }: Range,
): Promise<{ start: number; counts: Counts }[]> {
  const wanted = { webhook_id: webhookId, from: at(from), to: at(to), seconds: step / 1000 };
  const found = new Map((await readTallies(ctx, wanted)).map((interval) => [Date.parse(interval.start), interval]));
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
