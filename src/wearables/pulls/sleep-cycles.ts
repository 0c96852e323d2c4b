// Makes a sleep cycle of every pulled sleep that has stages. A sleep cycle is a summary of its own. It has the stages
// and names the sleep.
import type { UserRow } from '../../users/find.ts';
import { millisecondsOf } from '../../wire/moment.ts';
import type { Writer } from '../user-writer.ts';
import type { IncomingSummary } from '../summaries/new-summary.ts';
import type { SummaryItem, SummaryResource } from '../summaries/resource.ts';
import { sleepCycle } from '../summaries/resources/sleep-cycle.ts';
import { sleep } from '../summaries/resources/sleep.ts';
import { storeSummaries, type StoredSummary } from '../summaries/store-summaries.ts';

/** The stages in a sleep stream, in seconds since 1970. */
type Hypnogram = { start: number[]; end: number[]; value: number[] };

function hypnogramOf({ sleep_stream }: SummaryItem): Hypnogram | null {
  const { hypnogram } = (sleep_stream ?? {}) as { hypnogram?: Hypnogram | null };
  return hypnogram && hypnogram.start.length > 0 ? hypnogram : null;
}

export const hasStages = (item: SummaryItem): boolean => hypnogramOf(item) !== null;

/**
 * Stores the stages of these sleeps. Does nothing for summaries of another kind. `stored` has the outcome for each
 * sleep, in the order of the sleeps.
 */
export async function storeSleepCycles(
  ctx: Writer,
  user: UserRow,
  { resource, incoming }: { resource: SummaryResource; incoming: readonly Pick<IncomingSummary, 'item'>[] },
  stored: readonly StoredSummary[],
): Promise<void> {
  if (resource !== sleep) return;
  const cycles = incoming.flatMap(({ item }, n): SummaryItem[] => {
    const { id = null, outcome } = stored[n] ?? {};
    const hypnogram = hypnogramOf(item);
    return id === null || outcome === 'superseded' || hypnogram === null ? [] : [toSleepCycle(item, id, hypnogram)];
  });
  if (cycles.length === 0) return;
  await storeSummaries(
    ctx,
    user,
    sleepCycle,
    cycles.map((item) => ({ item, raw: item })),
  );
}

function toSleepCycle(item: SummaryItem, sleep_id: string, { start, end, value }: Hypnogram): SummaryItem {
  const { bedtime_start: session_start, bedtime_stop: session_end } = item as unknown as Record<string, string>;
  const begin = millisecondsOf(session_start as string) / 1_000;
  const longest = Math.ceil(millisecondsOf(session_end as string) / 1_000 - begin);
  const within = (second: number): number => Math.min(Math.max(Math.round(second - begin), 0), longest);
  const stages = start.map((from, n) => ({ from: within(from), to: within(end[n] as number), type: value[n] }));
  const lasting = stages.filter(({ from, to }) => to > from);
  const { provider, source_type, app_id, device_id, provider_id, version, calendar_date } = item;
  const { timezone_offset, time_zone } = item;
  const origin = { provider, source_type, app_id, device_id, provider_id, version };
  return {
    ...Object.fromEntries(Object.entries(origin).filter(([, given]) => given !== undefined)),
    provider,
    calendar_date: calendar_date ?? null,
    timezone_offset: timezone_offset ?? null,
    time_zone: time_zone ?? null,
    sleep_id,
    session_start,
    session_end,
    stage_start_offset_second: lasting.map(({ from }) => from),
    stage_end_offset_second: lasting.map(({ to }) => to),
    stage_type: lasting.map(({ type }) => type),
  };
}
