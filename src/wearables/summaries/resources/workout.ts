import { Type } from 'typebox';
import { millisecondsOf } from '../../../wire/moment.ts';
import type { Breach } from '../../../wire/rule.ts';
import { optional, Text } from '../../../wire/schema.ts';
import { HEART_RATE } from '../../series.ts';
import { moment, number, whole } from '../fields.ts';
import { measurable, origin, ownDay, ROUNDING_SECONDS, timeZone, timezoneOffset } from '../item.ts';
import { keyAndTimesFrom, type SummaryItem, type SummaryResource } from '../resource.ts';
import { RawWorkout } from '../schemas.ts';
import { dailyShape } from '../shape.ts';
import { Sport, WorkoutStreamInput } from '../summary-streams/schemas.ts';

const LONGEST_HOURS = 168;
const LONGEST_SECONDS = LONGEST_HOURS * 3_600;

const polyline = (description: string, most: number) =>
  optional(Type.String({ maxLength: most, pattern: '^[?-~]*$', description }));

const watts = (which: string) => number(`${which}, in watts.`, 10_000);

const fields = {
  title: optional(Text(500, { description: 'Title that the person gave it.' })),
  timezone_offset: timezoneOffset,
  average_hr: whole('Mean heart rate, in beats per minute.', HEART_RATE[1]),
  max_hr: whole('Highest heart rate, in beats per minute.', HEART_RATE[1]),
  distance: number('Distance, in metres.', 10_000_000),
  time_start: moment('When it began.'),
  time_end: moment('When it ended.'),
  calories: number('Energy burnt, in kilocalories.', 100_000),
  hr_zones: optional(
    Type.Array(Type.Integer({ minimum: 0, maximum: LONGEST_SECONDS }), {
      minItems: 6,
      maxItems: 6,
      description:
        'Seconds in six zones of heart rate: below 50, from 50, 60, 70 and 80, and above 90 percent of ' +
        '220 less the age.',
    }),
  ),
  moving_time: whole('Time in motion, in seconds.', LONGEST_SECONDS),
  total_elevation_gain: number('Total ascent, in metres.', 100_000),
  elev_high: number('Highest point above the sea, in metres.', 20_000, -1_000),
  elev_low: number('Lowest point above the sea, in metres.', 20_000, -1_000),
  average_speed: number('Mean speed, in metres per second.', 1_000),
  max_speed: number('Highest speed, in metres per second.', 1_000),
  average_watts: watts('Mean power'),
  device_watts: watts('Power as the device measured it'),
  max_watts: watts('Highest power'),
  weighted_average_watts: watts('Weighted mean power'),
  steps: whole('Steps.', 1_000_000),
  map: optional(
    Type.Object(
      {
        polyline: polyline('The route, as an encoded polyline.', 65_536),
        summary_polyline: polyline('The rough route, as an encoded polyline.', 16_384),
      },
      { description: 'The route.' },
    ),
  ),
};

const sport = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[a-z0-9]+(_[a-z0-9]+)*$',
  description: 'The sport, such as running or trail_running.',
});

const properties = {
  ...origin,
  calendar_date: ownDay,
  time_zone: timeZone,
  sport,
  ...fields,
  stream: Type.Optional(WorkoutStreamInput),
};
const session = { from: 'time_start', to: 'time_end', maxHours: LONGEST_HOURS };

const input = Type.Object(properties, { fulfils: measurable(session) });

const pushed = Type.Object(properties, {
  fulfils: measurable(
    session,
    longerThanWorkout,
    'The time in motion is not longer than that between them, and neither are all zones together, ' +
      'except for a minute of rounding.',
  ),
});

function longerThanWorkout({ time_start, time_end, moving_time, hr_zones }: Record<string, unknown>): Breach[] {
  const lasted = (millisecondsOf(String(time_end)) - millisecondsOf(String(time_start))) / 1_000;
  if (!(lasted >= 0)) return [];
  const most = lasted + ROUNDING_SECONDS;
  const inZones = Array.isArray(hr_zones) ? hr_zones.reduce((sum, seconds) => sum + Number(seconds), 0) : 0;
  const tooLong = (name: string, what: string): Breach[] => [
    { at: [name], type: 'value_error', msg: `${what} should not be longer than from time_start to time_end` },
  ];
  return [
    ...(Number(moving_time ?? 0) > most ? tooLong('moving_time', 'Value') : []),
    ...(inZones > most ? tooLong('hr_zones', 'All zones together') : []),
  ];
}

/** Removes impossible durations. If this removes the zones, they are computed from heart rates, if there are any. */
function withinSession(item: SummaryItem): SummaryItem {
  const wrong = new Set(longerThanWorkout(item).map(({ at: [name] }) => name));
  if (wrong.size === 0) return item;
  const { moving_time, hr_zones, ...others } = item;
  return {
    ...others,
    ...(moving_time !== undefined && !wrong.has('moving_time') && { moving_time }),
    ...(hr_zones !== undefined && !wrong.has('hr_zones') && { hr_zones }),
  };
}

const shape = dailyShape(fields, {
  sport: Sport,
  provider_id: Type.String({ description: 'Id of the workout at its provider; our id where the provider gave none.' }),
});

export const workout: SummaryResource = {
  name: 'workouts',
  title: 'Workout',
  path: 'workouts',
  one: 'workout',
  many: 'workouts',
  list: 'workouts',
  input,
  pushed,
  most: { items: 100, valuesEach: 4_000, bytes: 4 * 1024 * 1024 },
  shape,
  rawShape: RawWorkout,
  sealed: ['title', 'map'],
  stream: 'stream',
  clockFrom: 'time_start',
  withinSession,
  keyAndTimesOf: (item, clock) => keyAndTimesFrom(item, clock, { from: 'time_start', to: 'time_end' }),
  derived: ({ sport: slug }) => ({ sport: sportOf(slug as string), sport_id: 0 }),
};

const sportOf = (slug: string) => {
  const words = slug.replaceAll('_', ' ');
  return { id: 0, name: words.charAt(0).toUpperCase() + words.slice(1), slug };
};
