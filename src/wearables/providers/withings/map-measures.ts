// https://developer.withings.com/api-reference/#operation/measure-getmeas: a group has the values from one use of a
// device.
import type { SourceType } from '../../source.ts';
import type { Item, Measured } from '../responses/fitting.ts';
import {
  momentAt,
  nameIn,
  numberIn,
  numberOr,
  objectOr,
  objectsOr,
  textOr,
  zoneOr,
  type ProviderObject,
} from '../responses/read-response.ts';
import { ownProperty } from '../../../wire/own-property.ts';

/** The series by their names in events, each with Withings' types of measures and the kind of device. */
export const MEASURED: Readonly<Record<string, { series: string; types: readonly number[]; from: SourceType }>> = {
  weight: { series: 'body_weight', types: [1], from: 'scale' },
  fat: { series: 'body_fat', types: [6], from: 'scale' },
  blood_pressure: { series: 'blood_pressure', types: [9, 10], from: 'cuff' },
  blood_oxygen: { series: 'blood_oxygen', types: [54], from: 'unknown' },
  body_temperature: { series: 'body_temperature', types: [71], from: 'unknown' },
  vo2_max: { series: 'vo2_max', types: [123], from: 'watch' },
};

/** The values of `attrib` that mean that the person typed the values in: 2, or 4 when creating the account. */
const BY_HAND = new Set([2, 4]);
const DIASTOLIC = 9;
const SYSTOLIC = 10;

const sourceOf = (group: ProviderObject, from: SourceType): { provider: 'withings'; source_type: SourceType } => ({
  provider: 'withings',
  source_type: BY_HAND.has(numberOr(group['attrib']) ?? -1) ? 'app' : from,
});

/**
 * Returns a value. Withings sends 84.1 as the whole number 841 and the power -1. We divide 841 by 10, because 841 × 0.1
 * is not exactly 84.1.
 */
function valueOf(group: ProviderObject, type: number): number | null {
  const measure = objectsOr(group['measures']).find((each) => each['type'] === type);
  if (!measure) return null;
  const [value, unit] = [numberOr(measure['value']), numberOr(measure['unit'])];
  if (value === null || unit === null || Math.abs(unit) > 20) return null;
  return unit < 0 ? value / 10 ** -unit : value * 10 ** unit;
}

export const hasAnyOf = (group: ProviderObject, types: readonly number[]): boolean =>
  objectsOr(group['measures']).some(({ type }) => types.includes(numberOr(type) ?? -1));

const timeOf = (group: ProviderObject): string => momentAt(numberIn(group['date']));

/** Yields the samples of a resource, by source type. */
export function toBodySamples(
  resource: string,
  groups: ProviderObject[],
): { of: ReturnType<typeof sourceOf>; measured: Measured[] }[] {
  const { types, from } = ownProperty(MEASURED, resource) as (typeof MEASURED)[string];
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

/** Returns the scale of a group, by the provider's id; null if the person typed the values in. */
export function toDevice(group: ProviderObject): Item {
  const { provider, source_type } = sourceOf(group, 'scale');
  const device_id = textOr(group['deviceid']);
  if (device_id === null || source_type !== 'scale') return null;
  return { provider, source_type, device_manufacturer: 'Withings', device_model: textOr(group['model']), device_id };
}

/**
 * Returns the values of one weighing. Masses of muscle, water and bone become percentages of the weight. The groups
 * have no time zone, but the `body` of the response has one, so the payload contains both. A payload without `body`
 * returns null, because we cannot know its day.
 */
export function toBody(group: ProviderObject): Item {
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
