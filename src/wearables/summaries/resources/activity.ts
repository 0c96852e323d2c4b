import { Type } from 'typebox';
import { optional } from '../../../wire/schema.ts';
import { dayEdges } from '../../calendar-date.ts';
import { day, number, trueOrUnknown, whole } from '../fields.ts';
import { measurable, origin, timeZone, timezoneOffset } from '../item.ts';
import { HEART_RATE } from '../../series.ts';
import { PLAIN_BATCH, type SummaryResource } from '../resource.ts';
import { RawSummary } from '../schemas.ts';
import { dailyShape, dated } from '../shape.ts';

const beatsPerMinute = (which: string) => number(`${which}, in beats per minute.`, HEART_RATE[1]);

const HeartRateOfDay = Type.Object(
  {
    avg_bpm: beatsPerMinute('Mean heart rate'),
    min_bpm: beatsPerMinute('Lowest heart rate'),
    max_bpm: beatsPerMinute('Highest heart rate'),
    resting_bpm: beatsPerMinute('Resting heart rate'),
    avg_walking_bpm: beatsPerMinute('Mean heart rate when walking'),
  },
  { description: 'Heart rate of the day.' },
);

const MINUTES_OF_DAY = 1_500;

const fields = {
  calories_total: number('Total energy burnt, in kilocalories.', 100_000),
  calories_active: number('Energy burnt by activity, in kilocalories.', 100_000),
  steps: whole('Steps.', 1_000_000),
  daily_movement: optional(
    Type.Number({
      minimum: 0,
      maximum: 1_000_000,
      deprecated: true,
      description: 'Distance that equals the activity, in metres. Use distance.',
    }),
  ),
  distance: number('Distance, in metres.', 1_000_000),
  low: number('Time of low intensity, in minutes.', MINUTES_OF_DAY),
  medium: number('Time of medium intensity, in minutes.', MINUTES_OF_DAY),
  high: number('Time of high intensity, in minutes.', MINUTES_OF_DAY),
  floors_climbed: whole('Floors climbed.', 100_000),
  exercise_minutes: number('Time of exercise, as activity rings of a watch count it, in minutes.', MINUTES_OF_DAY),
  stand_hours: whole('Hours in which the person stood up.', 25),
  move_minutes: number(
    'Time in motion, where the activity ring counts that instead of energy, in minutes.',
    MINUTES_OF_DAY,
  ),
  calories_active_goal: number("The person's goal for energy burnt by activity, in kilocalories.", 100_000),
  exercise_minutes_goal: number("The person's goal for exercise, in minutes.", MINUTES_OF_DAY),
  stand_hours_goal: whole("The person's goal for hours with standing.", 25),
  move_minutes_goal: number("The person's goal for time in motion, in minutes.", MINUTES_OF_DAY),
  time_zone: timeZone,
  timezone_offset: timezoneOffset,
  heart_rate: optional(HeartRateOfDay),
  wheelchair_use: trueOrUnknown('Whether the person uses a wheelchair; null where it is not known.'),
  wheelchair_push: whole('Pushes of a wheelchair.', 1_000_000),
};

const input = Type.Object({ ...origin, calendar_date: day('The local day.'), ...fields }, { fulfils: measurable({}) });

const shape = dailyShape(fields, dated);

/**
 * The totals of a day, which change during the day. A source has one summary for a day, so the day is the key and the
 * provider's id is not needed.
 */
export const activity: SummaryResource = {
  name: 'activity',
  title: 'Activity',
  path: 'activity',
  one: 'activity summary of a day',
  many: 'activity summaries of days',
  list: 'activity',
  input,
  most: PLAIN_BATCH,
  shape,
  rawShape: RawSummary,
  sealed: [],
  keyAndTimesOf: ({ calendar_date }, clock) => {
    const date = calendar_date as string;
    const { start, end } = dayEdges(date, clock);
    return { key: `on ${date}`, calendar_date: date, start_at: start, end_at: end };
  },
};
