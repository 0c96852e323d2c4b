// What is read from a file is checked by the schemas of what is pushed, their rules included, one value at a time.
import { fits } from '../fits.ts';
import type { SummaryItem } from '../summaries/resource.ts';
import { activity } from '../summaries/resources/activity.ts';
import { body } from '../summaries/resources/body.ts';
import { electrocardiogram } from '../summaries/resources/electrocardiogram.ts';
import { profile } from '../summaries/resources/profile.ts';
import { sleepCycle } from '../summaries/resources/sleep-cycle.ts';
import { sleep } from '../summaries/resources/sleep.ts';
import { workout } from '../summaries/resources/workout.ts';
import type { Skipped } from './skipped.ts';
import { SampleInput, type SampleInputValue } from '../timeseries/sample-input.ts';

export const isSample: (value: unknown) => value is SampleInputValue = fits(SampleInput);

/** Kinds of summaries that files hold. */
export const RESOURCES = {
  workouts: workout,
  sleep,
  sleep_cycle: sleepCycle,
  activity,
  body,
  profile,
  electrocardiogram,
};

/** Those that a file tells by themselves; a sleep cycle comes with its sleep. */
const TOLD = ['workouts', 'sleep', 'activity', 'body', 'profile', 'electrocardiogram'] as const;
type Told = (typeof TOLD)[number];

const items = Object.fromEntries(
  Object.entries(RESOURCES).map(([name, { input }]) => [name, fits(input)]),
) as unknown as Record<keyof typeof RESOURCES, (value: unknown) => value is SummaryItem>;

export type CheckedSummary = {
  resource: Told;
  item: SummaryItem;
  /** Nothing of it was left out. */
  isWhole: boolean;
  cycle: Record<string, unknown> | null;
  raw: Record<string, unknown> | null;
};

/**
 * A summary as the parser tells it, without times that are longer than its session; null where it is none. Its cycle is checked when
 * its sleep has an id.
 */
export function checkedSummary(value: unknown): CheckedSummary | null {
  if (typeof value !== 'object' || value === null) return null;
  const { item, cycle, raw } = value as Record<string, unknown>;
  const resource = TOLD.find((each) => each === (value as Record<string, unknown>)['resource']);
  if (resource === undefined || !items[resource](item)) return null;
  const { withinSession } = RESOURCES[resource];
  const within = withinSession ? withinSession(item) : item;
  if (within === null) return null;
  return { resource, item: within, isWhole: within === item, cycle: objectOrNull(cycle), raw: objectOrNull(raw) };
}

const objectOrNull = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' ? (value as Record<string, unknown> | null) : null;

/** Counts a sample or summary that was left out, whole or in part: nothing can have been measured so. */
export function impossible(value: unknown): Skipped {
  const resource = (value as { resource?: unknown } | null)?.resource;
  return { type: typeof resource === 'string' ? resource : 'other', reason: 'impossible', records: 1 };
}

export const isSleepCycle = items.sleep_cycle;
