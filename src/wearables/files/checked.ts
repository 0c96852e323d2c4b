// What is read from a file is checked by the schemas of what is pushed, their rules included, one value at a time.
import { fits } from '../fits.ts';
import type { SummaryItem } from '../summaries/resource.ts';
import { sleepCycle } from '../summaries/resources/sleep-cycle.ts';
import { sleep } from '../summaries/resources/sleep.ts';
import { workout } from '../summaries/resources/workout.ts';
import type { Skipped } from './skipped.ts';
import { SampleInput, type SampleInputValue } from '../timeseries/sample-input.ts';

export const isSample: (value: unknown) => value is SampleInputValue = fits(SampleInput);

/** Kinds of summaries that files hold. */
export const RESOURCES = { workouts: workout, sleep, sleep_cycle: sleepCycle };

const items = Object.fromEntries(
  Object.entries(RESOURCES).map(([name, { input }]) => [name, fits(input)]),
) as unknown as Record<keyof typeof RESOURCES, (value: unknown) => value is SummaryItem>;

export type CheckedSummary =
  | { resource: 'workouts'; item: SummaryItem }
  | { resource: 'sleep'; item: SummaryItem; cycle: Record<string, unknown> | null };

/** A summary as the parser tells it; null where it is none. Its cycle is checked when its sleep has an id. */
export function checkedSummary(value: unknown): CheckedSummary | null {
  if (typeof value !== 'object' || value === null) return null;
  const { resource, item, cycle } = value as Record<string, unknown>;
  if (resource === 'workouts') return items.workouts(item) ? { resource, item } : null;
  if (resource !== 'sleep' || !items.sleep(item)) return null;
  return { resource, item, cycle: typeof cycle === 'object' ? (cycle as Record<string, unknown> | null) : null };
}

/** Counts a sample or summary that the schemas refuse: nothing can have been measured so. */
export function impossible(value: unknown): Skipped {
  const resource = (value as { resource?: unknown } | null)?.resource;
  return { type: typeof resource === 'string' ? resource : 'other', reason: 'impossible', records: 1 };
}

export const isSleepCycle = items.sleep_cycle;
