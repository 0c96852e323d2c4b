import { ownOf } from '../../../wire/own.ts';

/** Sports that programs call otherwise. */
const NAMES: Record<string, string> = {
  biking: 'cycling',
  bike: 'cycling',
  ride: 'cycling',
  run: 'running',
  walk: 'walking',
  swim: 'swimming',
  generic: 'other',
  // Numbers of a program that wrote no words.
  '1': 'cycling',
  '9': 'running',
};

/** A sport as its slug: `TraditionalStrengthTraining` is traditional_strength_training. */
export function sportOf(text: string | undefined): string {
  const slug = (text ?? '')
    .slice(0, 64)
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim()
    .replaceAll(' ', '_');
  return ownOf(NAMES, slug) ?? (/^\d*$/.test(slug) ? 'other' : slug);
}
