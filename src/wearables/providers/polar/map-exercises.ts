// https://www.polar.com/accesslink-api/#exercises, and "Exercise sample types" of its appendix
import type { Item } from '../answers/fitting.ts';
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
  type Found,
} from '../answers/read-answer.ts';
import { WATCH } from './map-summaries.ts';
import { ownOf } from '../../../wire/own.ts';

/** No place on earth was ever further from UTC. */
const FURTHEST_MINUTES = 960;
const KILOMETRES_AN_HOUR = 3.6;

/** Seconds of a duration such as PT1H2M3.5S; null where it is none. */
function secondsIn(duration: unknown): number | null {
  const [whole, hours, minutes, seconds] =
    /^PT(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?$/.exec(String(duration)) ?? [];
  if (whole === undefined) return null;
  return Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
}

function minutesEast({ start_time_utc_offset }: Found): number | null {
  const minutes = numberOr(start_time_utc_offset);
  return minutes === null || Math.abs(minutes) > FURTHEST_MINUTES ? null : minutes;
}

/** It tells the time of the local clock, and how far that is from UTC. */
function startOf(exercise: Found): string | null {
  const told = textOr(exercise['start_time']);
  const wall = Date.parse(`${told}Z`);
  if (Number.isNaN(wall)) return momentIn(told);
  return momentIn(new Date(wall - (minutesEast(exercise) ?? 0) * 60_000).toISOString());
}

export function toWorkout(exercise: Found): Item {
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

/** There are twelve types of them. */
const MOST_SERIES = 50;

const same = (value: number): number => value;
/** Types of samples, by the columns of a stream, and what makes our unit of theirs. */
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

/** From the start on, at the shortest time between points that something is recorded at; null where nothing is. */
export function toStream(time_start: string, exercise: Found): Record<string, unknown> | null {
  const recorded = objectsOr(exercise['samples'])
    .slice(0, MOST_SERIES)
    .flatMap((sample) => {
      const column = ownOf(COLUMNS, String(sample['sample-type']));
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

/** Where the route has a place at the second of a point. */
function wayOf(exercise: Found, seconds: number[]): Record<string, unknown> {
  const places = new Map(
    objectsOr(exercise['route']).map((place) => [Math.round(secondsIn(place['time']) ?? -1), place]),
  );
  if (places.size === 0) return {};
  const columnOf = (name: string) => seconds.map((second) => numberOr(places.get(second)?.[name]));
  return { lat: columnOf('latitude'), lng: columnOf('longitude') };
}
