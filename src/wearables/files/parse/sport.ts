import { ownProperty } from '../../../wire/own-property.ts';

/** Other names for sports that programs use. */
const NAMES: Record<string, string> = {
  biking: 'cycling',
  bike: 'cycling',
  ride: 'cycling',
  run: 'running',
  walk: 'walking',
  swim: 'swimming',
  generic: 'other',
  // Some programs write numbers instead of names.
  '1': 'cycling',
  '9': 'running',
};

/** Returns the slug of a sport. For example, `TraditionalStrengthTraining` becomes `traditional_strength_training`. */
export function sportOf(text: string | undefined): string {
  const slug = (text ?? '')
    .slice(0, 64)
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim()
    .replaceAll(' ', '_');
  return ownProperty(NAMES, slug) ?? (/^\d*$/.test(slug) ? 'other' : slug);
}
