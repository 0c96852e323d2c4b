// The points of a workout or a sleep. Requests have them as columns of numbers, responses in the documented shapes.
import { Type, type TSchema } from 'typebox';
import type { Breach } from '../../../wire/rule.ts';
import { nullable, Timestamp, Uuid } from '../../../wire/schema.ts';
import { HEART_RATE, seriesOrNull } from '../../series.ts';
import { DataSource } from '../../source.ts';
import { column, responseShape, type Bounds, type Fields } from '../fields.ts';
import { named, shape } from '../../../wire/shape.ts';

/** The end of the year 2099, in seconds since 1970. */
const LAST_SECOND = 4_102_444_800;

const MAX_BEATS = HEART_RATE[1];

const seconds = (description: string): TSchema => column(description, { most: LAST_SECOND, whole: true }, false);

const workoutColumns: Fields = {
  time: seconds('The time of each point, in seconds since 1970 (UTC), rising.'),
  cadence: column('Steps or turns per minute.', { most: 1_000 }, true),
  altitude: column('Height above the sea, in metres.', { least: -1_000, most: 20_000 }, true),
  velocity_smooth: column('Speed, in metres per second.', { most: 1_000 }, true),
  heartrate: column('Heart rate, in beats per minute.', { most: MAX_BEATS, whole: true }, true),
  lat: column('Latitude, in degrees.', { least: -90, most: 90 }, true),
  lng: column('Longitude, in degrees.', { least: -180, most: 180 }, true),
  distance: column('Distance so far, in metres.', { most: 10_000_000 }, true),
  power: column('Power, in watts.', { most: 10_000 }, true),
  resistance: column('Resistance of the machine, in its own unit.', { least: -1_000, most: 10_000 }, true),
  temperature: column('Temperature, in degrees Celsius.', { least: -100, most: 100 }, true),
};

const optionally = (columns: Fields): Fields =>
  Object.fromEntries(
    Object.entries(columns).map(([name, schema]) => [name, name === 'time' ? schema : Type.Optional(schema)]),
  );

/** Returns a breach if a time in a column is before the one that precedes it. Equal times are allowed. */
function notRising(name: string, times: unknown): Breach[] {
  const back = Array.isArray(times) ? times.findIndex((time, n) => n > 0 && time < times[n - 1]) : -1;
  return back === -1
    ? []
    : [{ at: [name, String(back)], type: 'value_error', msg: 'Value should not be before the one before' }];
}

/**
 * Returns a breach for each column that is not as long as the first one. A column that was refused for another reason
 * is empty here.
 */
function ofOtherLength(value: Record<string, unknown>, first: string): Breach[] {
  const length = (name: string): number => (Array.isArray(value[name]) ? value[name].length : 0);
  return Object.keys(value)
    .filter((name) => length(name) > 0 && length(name) !== length(first))
    .map((name) => ({ at: [name], type: 'value_error', msg: `List should have as many values as ${first}` }));
}

export const WorkoutStreamInput = shape('WorkoutStreamInput', optionally(workoutColumns), {
  description: 'The points of the workout. They are stored as a whole: later points replace all of them.',
  fulfils: {
    words: 'Every list that is there is as long as `time`.',
    check: (value: Record<string, unknown>) => [...ofOtherLength(value, 'time'), ...notRising('time', value['time'])],
  },
});

export const WorkoutStream = named('WorkoutStream', responseShape(workoutColumns));

const measured = (of: string, description: string, bounds: Bounds): TSchema =>
  Type.Optional(
    nullable(
      Type.Object(
        {
          time: seconds('The time of each value, in seconds since 1970 (UTC), rising.'),
          value: column(of, bounds, false),
        },
        {
          description,
          fulfils: {
            words: '`value` is as long as `time`.',
            check: (value: Record<string, unknown>) => [
              ...ofOtherLength(value, 'time'),
              ...notRising('time', value['time']),
            ],
          },
        },
      ),
    ),
  );

/** The stages of a sleep: -1 unclassified, 1 deep, 2 light, 3 REM, 4 awake, 5 manual. */
export const SLEEP_STAGES = [-1, 1, 2, 3, 4, 5] as const;
export const STAGE_WORDS = '-1 unclassified, 1 deep, 2 light, 3 REM, 4 awake, 5 manual';

export const SleepStreamInput = shape(
  'SleepStreamInput',
  {
    heartrate: measured('Beats per minute.', 'Heart rate.', { most: MAX_BEATS }),
    hrv: measured('RMSSD, in milliseconds.', 'Heart rate variability.', { most: 1_000 }),
    respiratory_rate: measured('Breaths per minute.', 'Respiratory rate.', { most: 200 }),
    hypnogram: Type.Optional(
      nullable(
        Type.Object(
          {
            start: seconds('When each stage began, in seconds since 1970 (UTC), rising.'),
            end: seconds('When each stage ended.'),
            value: column(`The stages: ${STAGE_WORDS}.`, { least: -1, most: 5, whole: true }, false),
          },
          {
            description: 'The stages of the sleep.',
            fulfils: {
              words: '`end` and `value` are as long as `start`.',
              check: (value: Record<string, unknown>) => [
                ...ofOtherLength(value, 'start'),
                ...notRising('start', value['start']),
              ],
            },
          },
        ),
      ),
    ),
  },
  { description: 'The samples of the sleep. They are stored as a whole: later samples replace all of them.' },
);

const sample = {
  id: nullable(Type.Integer({ deprecated: true, description: 'Always null.' })),
  timezone_offset: nullable(Type.Integer({ description: 'Seconds east of UTC; null where it is not known.' })),
  type: nullable(Type.String({ description: 'Always null.' })),
  unit: Type.String({ description: 'Unit of the value.' }),
  timestamp: Timestamp,
  value: Type.Number(),
};
const stage = { ...sample, start: Timestamp, end: Timestamp };
const listOf = (fields: Record<string, TSchema>, description: string) =>
  Type.Array(Type.Object(fields), { description });

export const SleepStream = shape('SleepStream', {
  hrv: listOf(sample, 'Heart rate variability (RMSSD).'),
  heartrate: listOf(sample, 'Heart rate.'),
  hypnogram: listOf(stage, `Stages of the sleep: ${STAGE_WORDS}.`),
  respiratory_rate: listOf(sample, 'Breaths per minute.'),
});

export const unitOf = (name: string): string => seriesOrNull(name)?.unit ?? '';

export const Sport = shape('Sport', {
  id: Type.Integer({ deprecated: true, description: 'Always 0: the slug identifies a sport.' }),
  name: Type.String({ description: 'The sport, for people.' }),
  slug: Type.String({ description: 'The sport, for programs.' }),
});

export const ShallowWorkoutStream = shape('ShallowWorkoutStream', {
  user_id: Uuid,
  workout_id: Type.String({ format: 'uuid', description: 'Id of the workout.' }),
  provider_id: Type.String({ description: 'Id of the workout at its provider; our id where the provider gave none.' }),
  message: Type.String({ description: 'Where the points are read.' }),
  source: DataSource,
  sport: Sport,
});
