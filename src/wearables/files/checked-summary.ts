// Checks each value that a parser has read from a file, by the schemas and rules of pushed data.
import { fits } from '../schema-check.ts';
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

/** The resources of the summaries that files can contain. */
export const RESOURCES = {
  workouts: workout,
  sleep,
  sleep_cycle: sleepCycle,
  activity,
  body,
  profile,
  electrocardiogram,
};

/**
 * The resources of the summaries that parsers write. Sleep cycles are missing, because parsers write them as a part of
 * the sleep.
 */
const FILE_RESOURCES = ['workouts', 'sleep', 'activity', 'body', 'profile', 'electrocardiogram'] as const;
type FileResource = (typeof FILE_RESOURCES)[number];

const items = Object.fromEntries(
  Object.entries(RESOURCES).map(([name, { input }]) => [name, fits(input)]),
) as unknown as Record<keyof typeof RESOURCES, (value: unknown) => value is SummaryItem>;

export type CheckedSummary = {
  resource: FileResource;
  item: SummaryItem;
  /** False if the check has removed impossible durations from the summary. */
  isWhole: boolean;
  cycle: Record<string, unknown> | null;
  raw: Record<string, unknown> | null;
};

/**
 * Checks a summary that a parser wrote. Removes durations that are longer than the session. Returns null if the rest is
 * no valid summary. The cycle of a sleep is checked later, after the sleep has got its id.
 */
export function checkedSummary(value: unknown): CheckedSummary | null {
  if (typeof value !== 'object' || value === null) return null;
  const { item, cycle, raw } = value as Record<string, unknown>;
  const resource = FILE_RESOURCES.find((each) => each === (value as Record<string, unknown>)['resource']);
  if (resource === undefined || !items[resource](item)) return null;
  const { withinSession } = RESOURCES[resource];
  const within = withinSession ? withinSession(item) : item;
  if (within === null) return null;
  return { resource, item: within, isWhole: within === item, cycle: objectOrNull(cycle), raw: objectOrNull(raw) };
}

const objectOrNull = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' ? (value as Record<string, unknown> | null) : null;

/** Returns a count of one, for a sample or summary that is left out, or loses a part, because of impossible values. */
export function impossible(value: unknown): Skipped {
  const resource = (value as { resource?: unknown } | null)?.resource;
  return { type: typeof resource === 'string' ? resource : 'other', reason: 'impossible', records: 1 };
}

export const isSleepCycle = items.sleep_cycle;
