import { BY_HAND } from '../../../by-hand.ts';
import { momentOf } from './time.ts';
import { sourceTypeOf } from '../source-type.ts';
import type { ParsedSummary } from '../record.ts';
import { sportOf } from '../sport.ts';
import type { Element } from '../xml.ts';

type Attributes = Element['attributes'];

/** A workout with what stood in it. */
export type AppleWorkout = { attributes: Attributes; statistics: Attributes[]; metadata: Map<string, string> };

const TYPE = 'HKWorkoutActivityType';
const METRES: Record<string, number> = { m: 1, km: 1_000, mi: 1_609.344, yd: 0.9144, ft: 0.3048 };
const KILOCALORIES: Record<string, number> = { kcal: 1, Cal: 1, kJ: 1 / 4.184, cal: 0.001 };

/** Exports since 2022 tell sums in elements of their own, older ones in attributes of the workout. */
export function workoutOf({ attributes, statistics, metadata }: AppleWorkout): ParsedSummary | null {
  const [begin, end] = [momentOf(attributes['startDate']), momentOf(attributes['endDate'])];
  if (!begin || !end) return null;
  const of = (types: RegExp): Attributes | undefined => statistics.find(({ type = '' }) => types.test(type));
  const [way, energy, heart] = [of(/Distance/), of(/ActiveEnergyBurned/), of(/HeartRate$/)];
  return {
    resource: 'workouts',
    item: {
      provider: 'apple_health_kit',
      source_type: sourceTypeOf(attributes),
      ...((metadata.get('HKWasUserEntered') ?? '0') === '0' ? {} : BY_HAND),
      timezone_offset: begin.offset,
      time_start: new Date(begin.at).toISOString(),
      time_end: new Date(end.at).toISOString(),
      sport: sportOf((attributes['workoutActivityType'] ?? '').replace(TYPE, '')),
      distance:
        scaled(way?.['sum'], way?.['unit'], METRES) ??
        scaled(attributes['totalDistance'], attributes['totalDistanceUnit'], METRES),
      calories:
        scaled(energy?.['sum'], energy?.['unit'], KILOCALORIES) ??
        scaled(attributes['totalEnergyBurned'], attributes['totalEnergyBurnedUnit'], KILOCALORIES),
      average_hr: rounded(heart?.['average']),
      max_hr: rounded(heart?.['maximum']),
      steps: rounded(of(/StepCount/)?.['sum']),
      total_elevation_gain: elevationOf(metadata.get('HKElevationAscended')),
    },
  };
}

function scaled(value: string | undefined, unit: string | undefined, factors: Record<string, number>) {
  const factor = factors[unit ?? ''];
  const number = value === undefined || factor === undefined ? NaN : Number(value) * factor;
  return Number.isFinite(number) && number >= 0 ? Number(number.toPrecision(12)) : undefined;
}

const rounded = (value: string | undefined): number | undefined =>
  value === undefined || !Number.isFinite(Number(value)) ? undefined : Math.round(Number(value));

/** `2050 cm` */
function elevationOf(text: string | undefined): number | undefined {
  const [, value, unit] = /^([\d.]+) (cm|m)$/.exec(text ?? '') ?? [];
  return value === undefined ? undefined : Number(value) / (unit === 'cm' ? 100 : 1);
}
