import { Type } from 'typebox';
import { millisecondsOf } from '../../../wire/moment.ts';
import type { Breach } from '../../../wire/rule.ts';
import { oneOf } from '../../../wire/schema.ts';
import { HEART_RATE } from '../../series.ts';
import { number, moment, whole, word } from '../fields.ts';
import { measurable, origin, ownDay, ROUNDING_SECONDS, timezoneOffset } from '../item.ts';
import { keyAndTimesFrom, type SummaryItem, type SummaryResource } from '../resource.ts';
import { RawSummary } from '../schemas.ts';
import { dailyShape, dated } from '../shape.ts';
import { SleepStreamInput } from '../summary-streams/schemas.ts';

const LONGEST_HOURS = 48;
const LONGEST_SECONDS = LONGEST_HOURS * 3_600;
const LONG_SLEEP_SECONDS = 3 * 3_600;

const seconds = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: LONGEST_SECONDS, default: 0, description }));
const beats = (which: string) => whole(`${which}, in beats per minute.`, HEART_RATE[1]);

export const SLEEP_TYPES = ['long_sleep', 'short_sleep', 'acknowledged_nap', 'unknown'] as const;
export const SLEEP_STATES = ['tentative', 'confirmed'] as const;

const fields = {
  bedtime_start: moment('When the person went to bed.'),
  bedtime_stop: moment('When the person got up.'),
  type: word('The kind of sleep; left out, a long_sleep from 3 hours on, else a short_sleep.', SLEEP_TYPES),
  timezone_offset: timezoneOffset,
  duration: whole('Time in bed, in seconds; left out, from bedtime_start to bedtime_stop.', LONGEST_SECONDS),
  total: Type.Integer({ minimum: 0, maximum: LONGEST_SECONDS, description: 'Time asleep, in seconds.' }),
  awake: seconds('Time awake, in seconds.'),
  light: seconds('Time of light sleep, in seconds.'),
  rem: seconds('Time of REM sleep, in seconds.'),
  deep: seconds('Time of deep sleep, in seconds.'),
  score: whole('Score of the sleep, from 0 to 100.', 100),
  recovery_readiness_score: whole('Score of the recovery, from 0 to 100.', 100),
  hr_lowest: beats('Lowest heart rate'),
  hr_average: beats('Mean heart rate'),
  hr_resting: beats('Resting heart rate'),
  efficiency: number('Share of the time in bed that the person was asleep, in percent.', 100),
  latency: whole('Time until asleep, in seconds.', LONGEST_SECONDS),
  temperature_delta: number("Difference from the person's usual temperature, in degrees Celsius.", 20, -20),
  skin_temperature: number('Skin temperature, in degrees Celsius.', 60),
  hr_dip: number('Drop of the heart rate in sleep, in percent.', 100, -100),
  state: word('Whether the provider may still change it.', SLEEP_STATES),
  average_hrv: number('Mean heart rate variability (RMSSD), in milliseconds.', 1_000),
  respiratory_rate: number('Breaths per minute.', 200),
};

const properties = { ...origin, calendar_date: ownDay, ...fields, sleep_stream: Type.Optional(SleepStreamInput) };
const session = { from: 'bedtime_start', to: 'bedtime_stop', maxHours: LONGEST_HOURS };
const STAGES_WITHIN = 'All stages of the hypnogram lie between them.';

const input = Type.Object(properties, { fulfils: measurable(session, outsideBed, STAGES_WITHIN) });

const pushed = Type.Object(properties, {
  fulfils: measurable(
    session,
    (value) => [...outsideBed(value), ...longerThanBed(value)],
    `${STAGES_WITHIN} No time asleep, awake or in bed is longer than that between them, and neither ` +
      'are light, rem and deep together, except for a minute of rounding. Total and awake together are ' +
      'not longer than that either, and light, rem and deep together are not longer than total, except ' +
      'for a minute for each.',
  ),
});

const STAGES = ['light', 'rem', 'deep'] as const;

function longerThanBed(value: Record<string, unknown>): Breach[] {
  const inBed =
    (millisecondsOf(String(value['bedtime_stop'])) - millisecondsOf(String(value['bedtime_start']))) / 1_000;
  if (!(inBed >= 0)) return [];
  const secondsOf = (name: string): number => (typeof value[name] === 'number' ? value[name] : 0);
  const most = inBed + ROUNDING_SECONDS;
  const tooLong = (names: readonly string[], msg: string): Breach[] =>
    names.map((name) => ({ at: [name], type: 'value_error', msg }));
  const sumOf = (names: readonly string[]): number => names.reduce((sum, name) => sum + secondsOf(name), 0);
  const rounding = (names: readonly string[]): number => names.length * ROUNDING_SECONDS;
  const alone = ['duration', 'total', 'awake', 'latency', ...STAGES].filter((name) => secondsOf(name) > most);
  const isRight = (name: string): boolean => !alone.includes(name);
  const reported = STAGES.filter((name) => secondsOf(name) > 0);
  const asleepAndAwake = ['total', 'awake'];
  const stages = reported.every(isRight) ? reported : [];
  const isBeyondBed = sumOf(stages) > most;
  const isBeyondSleep = !isBeyondBed && isRight('total') && sumOf(stages) > secondsOf('total') + rounding(stages);
  return [
    ...tooLong(alone, 'Value should not be longer than from bedtime_start to bedtime_stop'),
    ...(asleepAndAwake.every(isRight) && sumOf(asleepAndAwake) > inBed + rounding(asleepAndAwake)
      ? tooLong(['awake'], 'Together with total it should not be longer than from bedtime_start to bedtime_stop')
      : []),
    ...(isBeyondBed
      ? tooLong(reported, 'Light, rem and deep together should not be longer than from bedtime_start to bedtime_stop')
      : []),
    ...(isBeyondSleep ? tooLong(reported, 'Light, rem and deep together should not be longer than total') : []),
  ];
}

/**
 * Removes impossible durations. If the duration of one stage is impossible, removes all stages, because the others
 * alone would look like the whole night. For stages and for the time awake, 0 then means unknown. Returns null if the
 * time asleep is impossible, because without it there is no sleep to store.
 */
function withinSession(item: SummaryItem): SummaryItem | null {
  const wrong = new Set(longerThanBed(item).map(({ at: [name] }) => name as string));
  if (wrong.size === 0) return item;
  if (wrong.has('total')) return null;
  const { duration, latency, ...others } = item;
  const hasStages = !STAGES.some((name) => wrong.has(name));
  return {
    ...others,
    ...(duration !== undefined && !wrong.has('duration') && { duration }),
    ...(latency !== undefined && !wrong.has('latency') && { latency }),
    ...(wrong.has('awake') && { awake: 0 }),
    ...(hasStages ? {} : { light: 0, rem: 0, deep: 0 }),
  };
}

/**
 * Returns a breach if a stage is outside of the time in bed, or ends before it starts. Stages have whole seconds, so
 * the first and the last stage may be up to a second outside.
 */
function outsideBed(value: Record<string, unknown>): Breach[] {
  const { start, end } = hypnogramOf(value);
  const from = Math.floor(millisecondsOf(String(value['bedtime_start'])) / 1_000);
  const to = Math.ceil(millisecondsOf(String(value['bedtime_stop'])) / 1_000);
  const wrong = (name: string, n: number, msg: string): Breach[] =>
    n === -1 ? [] : [{ at: ['sleep_stream', 'hypnogram', name, String(n)], type: 'value_error', msg }];
  return [
    ...wrong(
      'start',
      start.findIndex((at) => at < from),
      'Value should not be before bedtime_start',
    ),
    ...wrong(
      'end',
      end.findIndex((at) => at > to),
      'Value should not be after bedtime_stop',
    ),
    ...wrong(
      'end',
      end.findIndex((at, n) => at < (start[n] ?? 0)),
      'Value should not be before its start',
    ),
  ];
}

function hypnogramOf({ sleep_stream }: Record<string, unknown>): { start: number[]; end: number[] } {
  const { start, end } = (sleep_stream as { hypnogram?: { start?: unknown; end?: unknown } } | null)?.hypnogram ?? {};
  const listOf = (column: unknown): number[] => (Array.isArray(column) ? (column as number[]) : []);
  return { start: listOf(start), end: listOf(end) };
}

/** Fields that are never null. If a source does not send them, they are computed from the times. */
const known = {
  type: oneOf(SLEEP_TYPES, { description: 'The kind of sleep.' }),
  duration: Type.Integer({ description: 'Time in bed, in seconds.' }),
};

const shape = dailyShape(fields, {
  ...dated,
  ...known,
  sleep_stream: Type.Null({
    deprecated: true,
    description: 'Always null: GET /v2/timeseries/sleep/{sleep_id}/stream has the samples.',
  }),
});

/** One summary for each session. It belongs to the day on which the person woke. */
export const sleep: SummaryResource = {
  name: 'sleep',
  title: 'Sleep',
  path: 'sleep',
  one: 'sleep',
  many: 'sleeps',
  list: 'sleep',
  input,
  pushed,
  most: { items: 100, valuesEach: 2_500, bytes: 4 * 1024 * 1024 },
  shape,
  rawShape: RawSummary,
  sealed: [],
  stream: 'sleep_stream',
  clockFrom: 'bedtime_stop',
  beganAt: 'bedtime_start',
  withinSession,
  keyAndTimesOf: (item, clock) =>
    keyAndTimesFrom(item, clock, { from: 'bedtime_start', to: 'bedtime_stop', day: 'bedtime_stop' }),
  completed: ({ bedtime_start, bedtime_stop, duration, type }) => {
    const inBed = Math.round(
      (millisecondsOf(bedtime_stop as string) - millisecondsOf(bedtime_start as string)) / 1_000,
    );
    const lasted = (duration as number | null | undefined) ?? inBed;
    return { duration: lasted, type: type ?? (lasted >= LONG_SLEEP_SECONDS ? 'long_sleep' : 'short_sleep') };
  },
};
