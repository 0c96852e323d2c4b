// https://developer.withings.com/api-reference/#operation/measure-getmeas: a group is what one use of a device measured.
import type { SourceType } from '../../source.ts';
import type { Item, Measured } from '../answers/fitting.ts';
import {
  momentAt,
  nameIn,
  numberIn,
  numberOr,
  objectOr,
  objectsOr,
  textOr,
  zoneOr,
  type Found,
} from '../answers/read-answer.ts';
import { ownOf } from '../../../wire/own.ts';

/** Types of measures, by the names of events. */
export const MEASURED: Readonly<Record<string, { series: string; types: readonly number[]; from: SourceType }>> = {
  weight: { series: 'body_weight', types: [1], from: 'scale' },
  fat: { series: 'body_fat', types: [6], from: 'scale' },
  blood_pressure: { series: 'blood_pressure', types: [9, 10], from: 'cuff' },
  blood_oxygen: { series: 'blood_oxygen', types: [54], from: 'unknown' },
  body_temperature: { series: 'body_temperature', types: [71], from: 'unknown' },
  vo2_max: { series: 'vo2_max', types: [123], from: 'watch' },
};

/** Typed in by the person: `attrib` is 2, or 4 at the making of the account. */
const BY_HAND = new Set([2, 4]);
const DIASTOLIC = 9;
const SYSTOLIC = 10;

const sourceOf = (group: Found, from: SourceType): { provider: 'withings'; source_type: SourceType } => ({
  provider: 'withings',
  source_type: BY_HAND.has(numberOr(group['attrib']) ?? -1) ? 'app' : from,
});

/** A value is written as a whole number and a power of ten; a division keeps 84.1 what it is. */
function valueOf(group: Found, type: number): number | null {
  const measure = objectsOr(group['measures']).find((each) => each['type'] === type);
  if (!measure) return null;
  const [value, unit] = [numberOr(measure['value']), numberOr(measure['unit'])];
  if (value === null || unit === null || Math.abs(unit) > 20) return null;
  return unit < 0 ? value / 10 ** -unit : value * 10 ** unit;
}

export const hasAnyOf = (group: Found, types: readonly number[]): boolean =>
  objectsOr(group['measures']).some(({ type }) => types.includes(numberOr(type) ?? -1));

const timeOf = (group: Found): string => momentAt(numberIn(group['date']));

/** Samples of a resource, by the kind of device that they are of. */
export function toBodySamples(
  resource: string,
  groups: Found[],
): { of: ReturnType<typeof sourceOf>; measured: Measured[] }[] {
  const { types, from } = ownOf(MEASURED, resource) as (typeof MEASURED)[string];
  const byDevice = new Map<SourceType, { of: ReturnType<typeof sourceOf>; measured: Measured[] }>();
  for (const group of groups) {
    const of = sourceOf(group, from);
    const found = byDevice.get(of.source_type) ?? { of, measured: [] };
    byDevice.set(of.source_type, found);
    const at = timeOf(group);
    const [systolic, diastolic] = [valueOf(group, SYSTOLIC), valueOf(group, DIASTOLIC)];
    if (resource !== 'blood_pressure') found.measured.push({ at, value: valueOf(group, types[0] as number) });
    else if (systolic !== null && diastolic !== null)
      found.measured.push({ at, value: systolic, extra: { diastolic } });
  }
  return [...byDevice.values()];
}

/** The scale that a group is of, by the provider's id of it; null where the person typed it in. */
export function toDevice(group: Found): Item {
  const { provider, source_type } = sourceOf(group, 'scale');
  const device_id = textOr(group['deviceid']);
  if (device_id === null || source_type !== 'scale') return null;
  return { provider, source_type, device_manufacturer: 'Withings', device_model: textOr(group['model']), device_id };
}

/**
 * What a scale tells at once; masses of muscle, water and bone as parts of the weight. The time zone stands beside the groups, in
 * the `body` of the answer: one without it would lose its day.
 */
export function toBody(group: Found): Item {
  if (group['body'] === undefined) return null;
  const weight = valueOf(group, 1);
  const partOf = (type: number): number | null => {
    const mass = valueOf(group, type);
    return mass === null || !weight ? null : Math.round((mass / weight) * 10_000) / 100;
  };
  const item = {
    weight,
    fat: valueOf(group, 6),
    lean_body_mass_kilogram: valueOf(group, 5),
    muscle_mass_percentage: partOf(76),
    water_percentage: partOf(77),
    bone_mass_percentage: partOf(88),
  };
  if (Object.values(item).every((value) => value === null)) return null;
  return {
    ...sourceOf(group, 'scale'),
    provider_id: nameIn(group['grpid']),
    timestamp: timeOf(group),
    time_zone: zoneOr(objectOr(group['body'])['timezone']),
    ...item,
  };
}
