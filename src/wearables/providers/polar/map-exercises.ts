// https://www.polar.com/accesslink-api/#exercises, and the section "Exercise sample types" of its appendix
import type { Item } from '../responses/fitting.ts';
import {
  momentAfter,
  momentIn,
  nameIn,
  numberOr,
  objectOr,
  objectsOr,
  secondsOf,
  textOr,
  wholeOr,
  wordOf,
  type ProviderObject,
} from '../responses/read-response.ts';
import { WATCH } from './map-summaries.ts';
import { ownProperty } from '../../../wire/own-property.ts';

/** More than any time zone has ever differed from UTC. */
const FURTHEST_MINUTES = 960;
const KILOMETRES_AN_HOUR = 3.6;

/** Returns the seconds of a duration like `PT1H2M3.5S`; null if the value is no duration. */
function secondsIn(duration: unknown): number | null {
  const [whole, hours, minutes, seconds] =
    /^PT(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?$/.exec(String(duration)) ?? [];
  if (whole === undefined) return null;
  return Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
}

function minutesEast({ start_time_utc_offset }: ProviderObject): number | null {
  const minutes = numberOr(start_time_utc_offset);
  return minutes === null || Math.abs(minutes) > FURTHEST_MINUTES ? null : minutes;
}

/** Returns the start of an exercise. Polar sends the local time and, separately, its offset from UTC. */
function startOf(exercise: ProviderObject): string | null {
  const startTime = textOr(exercise['start_time']);
  const local = Date.parse(`${startTime}Z`);
  if (Number.isNaN(local)) return momentIn(startTime);
  return momentIn(new Date(local - (minutesEast(exercise) ?? 0) * 60_000).toISOString());
}

export function toWorkout(exercise: ProviderObject): Item {
  const time_start = startOf(exercise);
  const lasted = secondsIn(exercise['duration']);
  const time_end = time_start === null || lasted === null ? null : momentAfter(time_start, lasted);
  if (time_start === null || time_end === null) return null;
  const minutes = minutesEast(exercise);
  const heart = objectOr(exercise['heart_rate']);
  return {
    ...WATCH,
    provider_id: nameIn(exercise['id']),
    sport: wordOf(exercise['detailed_sport_info']) ?? wordOf(exercise['sport']) ?? 'other',
    time_start,
    time_end,
    timezone_offset: minutes === null ? null : minutes * 60,
    calories: numberOr(exercise['calories']),
    distance: numberOr(exercise['distance']),
    average_hr: wholeOr(heart['average']),
    max_hr: wholeOr(heart['maximum']),
  };
}

/** The most series of an exercise that we read. Polar has twelve types of series. */
const MAX_SERIES = 50;

const same = (value: number): number => value;
/** The columns of a workout's stream, by the number of Polar's sample type. Each has the conversion to our unit. */
const COLUMNS: Readonly<Record<string, { name: string; convert: (value: number) => number }>> = {
  0: { name: 'heartrate', convert: Math.round },
  1: { name: 'velocity_smooth', convert: (value) => value / KILOMETRES_AN_HOUR },
  2: { name: 'cadence', convert: same },
  3: { name: 'altitude', convert: same },
  4: { name: 'power', convert: same },
  8: { name: 'cadence', convert: same },
  9: { name: 'temperature', convert: same },
  10: { name: 'distance', convert: same },
};

/**
 * Returns the points of an exercise as columns. The points have the shortest interval of all series. Leaves out series
 * with a longer interval. Returns null if there are no series.
 */
export function toStream(time_start: string, exercise: ProviderObject): Record<string, unknown> | null {
  const recorded = objectsOr(exercise['samples'])
    .slice(0, MAX_SERIES)
    .flatMap((sample) => {
      const column = ownProperty(COLUMNS, String(sample['sample-type']));
      const every = numberOr(sample['recording-rate']);
      const data = textOr(sample['data']);
      if (!column || every === null || every <= 0 || data === null) return [];
      const values = data.split(',').map((value) => numberOr(value));
      return [{ name: column.name, every, values: values.map((value) => value && column.convert(value)) }];
    });
  if (recorded.length === 0) return null;
  const every = Math.min(...recorded.map((each) => each.every));
  const fitting = recorded.filter((each) => each.every === every);
  const points = Math.max(...fitting.map(({ values }) => values.length));
  const start = secondsOf(time_start);
  const seconds = Array.from({ length: points }, (_, n) => Math.round(n * every));
  const columns = fitting.map(({ name, values }) => [name, seconds.map((_, n) => values[n] ?? null)]);
  return { time: seconds.map((second) => start + second), ...Object.fromEntries(columns), ...wayOf(exercise, seconds) };
}

/**
 * Returns the positions on the route for the seconds of the points, as two columns. A second without a position has
 * null. Without a route, there are no columns.
 */
function wayOf(exercise: ProviderObject, seconds: number[]): Record<string, unknown> {
  const points = new Map(
    objectsOr(exercise['route']).map((point) => [Math.round(secondsIn(point['time']) ?? -1), point]),
  );
  if (points.size === 0) return {};
  const columnOf = (name: string) => seconds.map((second) => numberOr(points.get(second)?.[name]));
  return { lat: columnOf('latitude'), lng: columnOf('longitude') };
}
