// https://www.polar.com/accesslink-api/#daily-activity and #physical-info
import type { Item } from '../responses/fitting.ts';
import { momentIn, nameIn, numberOr, textOr, wholeOr, type ProviderObject } from '../responses/read-response.ts';
import { ownProperty } from '../../../wire/own-property.ts';

export const WATCH = { provider: 'polar', source_type: 'watch' } as const;

const SEXES: Readonly<Record<string, string>> = { MALE: 'male', FEMALE: 'female' };
/** Polar's marks of values that nobody entered or measured. */
const GUESSED = new Set(['SOURCE_DEFAULT', 'SOURCE_ESTIMATE']);

export function toActivity(day: ProviderObject): Item {
  const date = nameIn(day['start_time']).slice(0, 10);
  if (momentIn(date) === null) return null;
  return {
    ...WATCH,
    calendar_date: date,
    calories_total: numberOr(day['calories']),
    calories_active: numberOr(day['active_calories']),
    steps: wholeOr(day['steps']),
    distance: numberOr(day['distance_from_steps']),
  };
}

export const toProfile = (person: ProviderObject): Item => ({
  ...WATCH,
  height: wholeOr(person['height']),
  birth_date: textOr(person['birthday']),
  sex: ownProperty(SEXES, String(person['gender'])) ?? null,
});

/** Returns those fields of a person that belong to a weight, as the payload of the weight. */
export const weighed = ({ weight, weight_source, modified, created }: ProviderObject): ProviderObject => ({
  weight,
  weight_source,
  modified: modified ?? created,
});

/** Returns the last weight that somebody entered or measured. */
export function toBody(person: ProviderObject): Item {
  const weight = numberOr(person['weight']);
  const modified = person['modified'];
  if (weight === null || GUESSED.has(String(person['weight_source'])) || textOr(modified) === null) return null;
  const timestamp = momentIn(modified);
  if (timestamp === null) return null;
  return { ...WATCH, timestamp, weight };
}
