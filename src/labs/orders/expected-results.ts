import type { ListedOrder, OrderEventRow } from './load-order.ts';
import { partsOf } from './status/statuses.ts';

type Days = { expected_result_by_date: string | null; worst_case_result_by_date: string | null };

const NOT_KNOWN: Days = { expected_result_by_date: null, worst_case_result_by_date: null };
const DAY_MS = 86_400_000;

/**
 * Returns the days by which we expect the results. We count from the day (in UTC) on which the sample was drawn or the
 * laboratory received it, and add the days that the lab test takes. The days are null before that, and for an order
 * that has failed or was cancelled. They are also null for a walk-in, because nobody reports when the sample was taken.
 */
export function expectedResults({ labTest }: ListedOrder, events: readonly OrderEventRow[]): Days {
  const { top } = partsOf((events.at(-1) as OrderEventRow).status);
  if (top === 'failed' || top === 'cancelled') return NOT_KNOWN;
  const taken = events.find(({ status }) => ['delivered_to_lab', 'draw_completed'].includes(partsOf(status).low));
  if (!taken) return NOT_KNOWN;
  const after = (days: number | null): string | null =>
    days === null ? null : new Date(Date.parse(taken.created_at) + days * DAY_MS).toISOString().slice(0, 10);
  return {
    expected_result_by_date: after(labTest.common_tat_days ?? null),
    worst_case_result_by_date: after(labTest.worst_case_tat_days ?? null),
  };
}
