import type { ListedOrder, OrderEventRow } from './load.ts';
import { partsOf } from './status/table.ts';

type Days = { expected_result_by_date: string | null; worst_case_result_by_date: string | null };

const NOT_KNOWN: Days = { expected_result_by_date: null, worst_case_result_by_date: null };
const DAY_MS = 86_400_000;

/**
 * By which days results are expected: those that the lab test takes, from the day in UTC on which its laboratory had the sample, or it was
 * drawn. Not known before; of a walk-in, of which nobody tells when its sample was taken; nor of an order that has failed or was cancelled.
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
