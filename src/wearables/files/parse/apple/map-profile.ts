import { ownProperty } from '../../../../wire/own-property.ts';
import type { ParsedSummary } from '../parsed-line.ts';
import type { Element } from '../xml.ts';

const SEXES: Record<string, string> = {
  HKBiologicalSexFemale: 'female',
  HKBiologicalSexMale: 'male',
  HKBiologicalSexOther: 'other',
};
const CHARACTERISTIC = 'HKCharacteristicTypeIdentifier';

/**
 * Makes the profile from the element `Me` and the newest height. Returns null if both are empty. We do not store the
 * blood type and the skin type.
 */
export function profileOf(me: Element['attributes'], centimetres: number | null): ParsedSummary | null {
  const birth_date = me[`${CHARACTERISTIC}DateOfBirth`] || undefined;
  const sex = ownProperty(SEXES, me[`${CHARACTERISTIC}BiologicalSex`] ?? '');
  const wheelchair_use = me[`${CHARACTERISTIC}WheelchairUse`] === 'HKWheelchairUseYes' ? true : undefined;
  const height = centimetres === null ? undefined : Math.round(centimetres);
  const known = { birth_date, sex, wheelchair_use, height };
  if (Object.values(known).every((value) => value === undefined)) return null;
  return { resource: 'profile', item: { provider: 'apple_health_kit', source_type: 'phone', ...known } };
}
