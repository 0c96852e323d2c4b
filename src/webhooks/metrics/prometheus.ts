import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { percentile } from '../../delivery/tallies/durations.ts';
import { attemptsOf, countsOf } from './find.ts';
import { STEP_MS, type Interval } from './metrics-range.ts';
import type { PrometheusMatrix } from './schemas.ts';

const POINTS: Record<Interval, number> = { '5m': 288, '15m': 288, '1h': 168, '1d': 30 };
const QUANTILES = [0.5, 0.95, 0.99];

/**
 * Returns the figures of deliveries to all endpoints of the team, up to now. It has the format of the response of
 * Prometheus to a range query.
 */
export async function findEventDelivery(ctx: TeamCtx, interval: Interval): Promise<Static<typeof PrometheusMatrix>> {
  const step = STEP_MS[interval];
  const to = (Math.floor(Date.now() / step) + 1) * step;
  const intervals = await countsOf(ctx, null, { from: to - POINTS[interval] * step, to, step });
  const attempts = (outcome: 'succeeded' | 'failed') => ({
    metric: { __name__: 'event_delivery_attempts', outcome },
    values: intervals.map(({ start, counts }) => [
      start / 1000,
      String(outcome === 'succeeded' ? counts.succeeded : attemptsOf(counts) - counts.succeeded),
    ]),
  });
  const durations = (quantile: number) => ({
    metric: { __name__: 'event_delivery_duration_seconds', quantile: String(quantile) },
    values: intervals.flatMap(({ start, counts }) => {
      const ms = percentile(counts.durations, quantile);
      return ms === null ? [] : [[start / 1000, String(Math.round(ms * 1_000) / 1_000_000)]];
    }),
  });
  const result = [attempts('succeeded'), attempts('failed'), ...QUANTILES.map(durations)];
  return { status: 'success', data: { resultType: 'matrix', result } };
}
