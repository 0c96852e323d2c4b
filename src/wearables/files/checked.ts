// What is read from a file is checked by the schemas of what is pushed, their rules included, one value at a time.
import { Ajv } from 'ajv';
import type { Static, TSchema } from 'typebox';
import { addFormats } from '../../wire/formats.ts';
import { RULES } from '../../wire/rules.ts';
import type { SummaryItem } from '../summaries/resource.ts';
import { sleepCycle } from '../summaries/resources/sleep-cycle.ts';
import { sleep } from '../summaries/resources/sleep.ts';
import { workout } from '../summaries/resources/workout.ts';
import { SampleInput, type SampleInputValue } from '../timeseries/sample-input.ts';

const ajv = new Ajv({ strict: false, strictNumbers: true });
addFormats(ajv);
for (const { keyword, type, check } of RULES) {
  ajv.addKeyword({
    keyword,
    ...(type === 'any' ? {} : { type: 'object' as const }),
    validate: (setting: unknown, value: unknown) => check(setting as never, value as never).length === 0,
  });
}

/** Compiled when the first value comes. */
function checkOf<T extends TSchema>(schema: T): (value: unknown) => value is Static<T> {
  let check: ((value: unknown) => boolean) | undefined;
  return (value): value is Static<T> => (check ??= ajv.compile(schema))(value);
}

export const isSample: (value: unknown) => value is SampleInputValue = checkOf(SampleInput);

/** Kinds of summaries that files hold. */
export const RESOURCES = { workouts: workout, sleep, sleep_cycle: sleepCycle };

const items = Object.fromEntries(
  Object.entries(RESOURCES).map(([name, { input }]) => [name, checkOf(input)]),
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

export const isSleepCycle = items.sleep_cycle;
