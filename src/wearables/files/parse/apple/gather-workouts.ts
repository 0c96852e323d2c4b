// Collects the workouts of an Apple export, with their routes and with the heart rates that the watch measured during
// them. A route is in a file of its own.
import { BY_HAND } from '../../../by-hand.ts';
import type { Archive } from '../open-archive.ts';
import { joinHeartRates, ofPoints, type Point } from '../put-activity.ts';
import type { Sink } from '../parsed-line.ts';
import { sourceOf } from './source-of.ts';
import { sportOf } from '../sport.ts';
import type { Element } from '../xml.ts';
import { routeOrNull } from './archive-members.ts';
import type { gatherHeartRates } from './heart-rates.ts';
import { momentOf } from './time.ts';
import { KILOCALORIES, METRES } from './unit-factors.ts';

type Attributes = Element['attributes'];

/** A `Workout` element with its contents. `routes` are the names of the files with its route. */
export type AppleWorkout = {
  attributes: Attributes;
  statistics: Attributes[];
  metadata: Map<string, string>;
  routes: string[];
};

type Beside = { archive: Archive | null; heartRates: ReturnType<typeof gatherHeartRates> };
type Workout = { item: Record<string, unknown>; start: number; end: number; routes: string[] };

const TYPE = 'HKWorkoutActivityType';
/** More than five workouts a day for twenty years. */
const MAX_WORKOUTS = 40_000;
const MAX_ROUTES = 20;
const MAX_POINTS = 100_000;

/** Collects the workouts. Passes them on at the end, when all heart rates are known. */
export function gatherWorkouts(sink: Sink): {
  add: (workout: AppleWorkout) => void;
  end: (beside: Beside) => Promise<void>;
} {
  const workouts: Workout[] = [];
  return {
    add: (workout) => {
      const read = workoutOf(workout);
      if (!read) sink.skip('Workout', 'unreadable');
      else if (workouts.length >= MAX_WORKOUTS) sink.skip('Workout', 'impossible');
      else workouts.push(read);
    },
    end: async (beside) => {
      for (const { item, start, end, routes } of workouts.splice(0)) {
        const points = joinHeartRates(await routePointsOf(routes, beside, sink), beside.heartRates.between(start, end));
        const { average_hr, max_hr, ...more } = ofPoints(points);
        sink.summary({
          resource: 'workouts',
          item: { ...more, ...item, average_hr: item['average_hr'] ?? average_hr, max_hr: item['max_hr'] ?? max_hr },
        });
        await sink.flush(1);
      }
    },
  };
}

async function routePointsOf(routes: string[], { archive }: Beside, sink: Sink): Promise<Point[]> {
  const points: Point[] = [];
  for (const path of archive ? routes : []) {
    const route = await routeOrNull(archive as Archive, path);
    if (route) points.push(...route.slice(0, MAX_POINTS - points.length));
    else sink.skip('WorkoutRoute', 'unreadable');
  }
  return points;
}

/**
 * Makes a workout from its element. Exports since 2022 have the sums, such as the distance, in elements of their own.
 * Older exports have them in attributes of the workout.
 */
function workoutOf({ attributes, statistics, metadata, routes }: AppleWorkout): Workout | null {
  const [begin, end] = [momentOf(attributes['startDate']), momentOf(attributes['endDate'])];
  if (!begin || !end) return null;
  const of = (types: RegExp): Attributes | undefined => statistics.find(({ type = '' }) => types.test(type));
  const [distance, energy, heart] = [of(/Distance/), of(/ActiveEnergyBurned/), of(/HeartRate$/)];
  const item = {
    provider: 'apple_health_kit',
    ...sourceOf('workouts', attributes),
    ...((metadata.get('HKWasUserEntered') ?? '0') === '0' ? {} : BY_HAND),
    timezone_offset: begin.offset,
    time_start: new Date(begin.at).toISOString(),
    time_end: new Date(end.at).toISOString(),
    sport: sportOf((attributes['workoutActivityType'] ?? '').replace(TYPE, '')),
    distance:
      scaled(distance?.['sum'], distance?.['unit'], METRES) ??
      scaled(attributes['totalDistance'], attributes['totalDistanceUnit'], METRES),
    calories:
      scaled(energy?.['sum'], energy?.['unit'], KILOCALORIES) ??
      scaled(attributes['totalEnergyBurned'], attributes['totalEnergyBurnedUnit'], KILOCALORIES),
    average_hr: rounded(heart?.['average']),
    max_hr: rounded(heart?.['maximum']),
    steps: rounded(of(/StepCount/)?.['sum']),
    total_elevation_gain: elevationOf(metadata.get('HKElevationAscended')),
  };
  return { item, start: begin.at, end: end.at, routes: routes.slice(0, MAX_ROUTES) };
}

function scaled(value: string | undefined, unit: string | undefined, factors: Record<string, number>) {
  const factor = factors[unit ?? ''];
  const number = value === undefined || factor === undefined ? NaN : Number(value) * factor;
  return Number.isFinite(number) && number >= 0 ? Number(number.toPrecision(12)) : undefined;
}

const rounded = (value: string | undefined): number | undefined =>
  value === undefined || !Number.isFinite(Number(value)) ? undefined : Math.round(Number(value));

/** Returns metres for a text like `2050 cm`. */
function elevationOf(text: string | undefined): number | undefined {
  const [, value, unit] = /^([\d.]+) (cm|m)$/.exec(text ?? '') ?? [];
  return value === undefined ? undefined : Number(value) / (unit === 'cm' ? 100 : 1);
}
