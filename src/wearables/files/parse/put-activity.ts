// A workout with its points. FIT, TCX and GPX files all become such a workout, and this file makes the summary and the
// samples.
import { HEART_RATE } from '../../series.ts';
import { ImportFailure } from '../failures.ts';
import { sourceTypeOf } from './source-type.ts';
import { providerOf } from './makers.ts';
import { mapOf } from './polyline.ts';
import type { Sink } from './parsed-line.ts';

/**
 * A point of a workout. `at` is in milliseconds since 1970. Altitude and distance are in metres, speed in metres a
 * second, positions in degrees, power in watts, and temperature in °C. Heart rate and cadence are counts a minute.
 */
export type Point = {
  at: number;
  heartrate?: number | undefined;
  cadence?: number | undefined;
  altitude?: number | undefined;
  speed?: number | undefined;
  lat?: number | undefined;
  lng?: number | undefined;
  distance?: number | undefined;
  power?: number | undefined;
  temperature?: number | undefined;
};

/** What the file states for the whole workout, under the names of the fields of a workout. */
type Output = Partial<
  Record<
    | 'average_hr'
    | 'max_hr'
    | 'distance'
    | 'calories'
    | 'moving_time'
    | 'total_elevation_gain'
    | 'average_speed'
    | 'max_speed'
    | 'average_watts'
    | 'max_watts'
    | 'weighted_average_watts'
    | 'steps',
    number | undefined
  >
>;

export type Activity = {
  /** The name of the device or program that made the file. */
  maker: string;
  sport: string;
  title?: string | undefined;
  /** Seconds east of UTC; null if the file does not state the offset. */
  offset: number | null;
  /** Missing if the file does not state the start or the end. Then the first or the last point gives the time. */
  start?: number | undefined;
  end?: number | undefined;
  said: Output;
  points: Point[];
  /** The parts of the file for which Phial has no field, under the names of the file. */
  raw?: Record<string, unknown> | undefined;
};

/** The most points of a workout, as for pushed workouts. A day with one point a second has fewer. */
const MAX_POINTS = 100_000;

/** Adds a point. Throws too_complex if there are more points than the limit. */
export function addPoint(points: Point[], point: Point): void {
  if (points.length >= MAX_POINTS) throw new ImportFailure('too_complex');
  if (Number.isFinite(point.at)) points.push(point);
}

const MAX_BEATS = HEART_RATE[1];
/** Returns the number, or undefined if it is impossible. The other values of the workout stay. */
const within = (value: number | null | undefined, least: number, most: number): number | undefined =>
  typeof value === 'number' && value >= least && value <= most ? value : undefined;
const whole = (value: number | undefined): number | undefined => (value === undefined ? undefined : Math.round(value));

/** Passes on the workout, and its heart rates, distance and duration as samples. Skips a workout without any time. */
export function putActivity(activity: Activity, sink: Sink): void {
  const points = activity.points.toSorted((a, b) => a.at - b.at);
  const start = activity.start ?? points[0]?.at;
  const end = activity.end ?? points.at(-1)?.at;
  if (start === undefined || end === undefined || end < start) return sink.skip('workout', 'unreadable');
  const maker = activity.maker.toLowerCase();
  const source = {
    provider: providerOf(maker),
    source_type: sourceTypeOf({ device: maker }),
    timezone_offset: activity.offset,
  };
  const item = { ...source, ...itemOf(activity, points), time_start: iso(start), time_end: iso(end) };
  sink.summary({ resource: 'workouts', item, ...(activity.raw ? { raw: activity.raw } : {}) });
  for (const { at, heartrate } of points) {
    const value = within(heartrate, 1, MAX_BEATS);
    if (value !== undefined) sink.sample({ ...source, resource: 'heartrate', timestamp: iso(at), unit: 'bpm', value });
  }
  const span = { ...source, start: iso(start), end: iso(end) };
  sink.sample({ ...span, resource: 'workout_duration', unit: 'min', value: (end - start) / 60_000 });
  if (item.distance !== undefined)
    sink.sample({ ...span, resource: 'workout_distance', unit: 'm', value: item.distance });
}

function itemOf({ sport, title, said }: Activity, points: Point[]) {
  const { average_hr, max_hr, ...more } = ofPoints(points);
  return {
    ...more,
    sport,
    title: title || undefined,
    average_hr: whole(within(said.average_hr, 1, MAX_BEATS)) ?? average_hr,
    max_hr: whole(within(said.max_hr, 1, MAX_BEATS)) ?? max_hr,
    distance: within(said.distance, 0, 10_000_000) ?? within(lastDistance(points), 0, 10_000_000),
    calories: within(said.calories, 0, 100_000),
    moving_time: whole(within(said.moving_time, 0, 604_800)),
    total_elevation_gain: within(said.total_elevation_gain, 0, 100_000),
    average_speed: within(said.average_speed, 0, 1_000),
    max_speed: within(said.max_speed, 0, 1_000),
    average_watts: within(said.average_watts, 0, 10_000),
    max_watts: within(said.max_watts, 0, 10_000),
    weighted_average_watts: within(said.weighted_average_watts, 0, 10_000),
    steps: whole(within(said.steps, 0, 1_000_000)),
  };
}

/**
 * Adds heart rates to points. A heart rate goes to the point of the same second, unless this point has one already. If
 * no point has this second, a new point is made.
 */
export function joinHeartRates(points: Point[], { time, value }: { time: number[]; value: number[] }): Point[] {
  if (time.length === 0) return points;
  const bySecond = new Map(points.map((point) => [Math.floor(point.at / 1_000), point]));
  const alone = time.flatMap((second, n) => {
    const point = bySecond.get(second);
    if (point) point.heartrate ??= value[n];
    return point ? [] : [{ at: second * 1_000, heartrate: value[n] }];
  });
  return [...points, ...alone].toSorted((a, b) => a.at - b.at).slice(0, MAX_POINTS);
}

/**
 * Computes fields from the points, which must be in the order of time: mean and highest heart rate, heights, the map of
 * the route, and the stream.
 */
export function ofPoints(points: Point[]) {
  const of = (name: keyof Point, least: number, most: number): number[] =>
    points.flatMap((point) => within(point[name], least, most) ?? []);
  const heart = of('heartrate', 1, MAX_BEATS);
  const heights = of('altitude', -1_000, 20_000);
  const mean = heart.length === 0 ? undefined : heart.reduce((sum, each) => sum + each, 0) / heart.length;
  return {
    average_hr: whole(mean),
    max_hr: whole(most(heart)),
    elev_high: most(heights),
    elev_low: heights.length === 0 ? undefined : -(most(heights.map((each) => -each)) as number),
    map: mapOf(points),
    stream: points.length === 0 ? undefined : streamOf(points),
  };
}

const COLUMNS: [column: string, of: keyof Point, least: number, most: number][] = [
  ['cadence', 'cadence', 0, 1_000],
  ['altitude', 'altitude', -1_000, 20_000],
  ['velocity_smooth', 'speed', 0, 1_000],
  ['heartrate', 'heartrate', 0, MAX_BEATS],
  ['lat', 'lat', -90, 90],
  ['lng', 'lng', -180, 180],
  ['distance', 'distance', 0, 10_000_000],
  ['power', 'power', 0, 10_000],
  ['temperature', 'temperature', -100, 100],
];

/** Returns the points as columns, without the columns that have no values. */
function streamOf(points: Point[]): Record<string, (number | null)[]> {
  const stream: Record<string, (number | null)[]> = { time: points.map(({ at }) => Math.floor(at / 1_000)) };
  for (const [column, of, least, most] of COLUMNS) {
    const values = points.map((point) => within(point[of], least, most) ?? null);
    if (values.some((value) => value !== null))
      stream[column] = column === 'heartrate' ? values.map((value) => value && Math.round(value)) : values;
  }
  return stream;
}

const lastDistance = (points: Point[]): number | undefined =>
  points.findLast(({ distance }) => distance !== undefined)?.distance;

/** `Math.max(...values)` could overflow the stack with so many arguments. */
const most = (values: number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((a, b) => (a > b ? a : b));

const iso = (at: number): string => new Date(at).toISOString();
