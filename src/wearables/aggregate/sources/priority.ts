// Which source counts where several tell of the same day. Everything is kept as it came; only reading chooses.
import type { SourceType } from '../../source.ts';

/** Devices that measure on the body before those that guess, and what was typed in last. */
export const SOURCE_TYPE_ORDER: readonly SourceType[] = [
  'insulin_pump',
  'automatic',
  'chest_strap',
  'watch',
  'ring',
  'earphone',
  'cuff',
  'scale',
  'fingerprick',
  'lab',
  'exercise_machine',
  'phone',
  'multiple_sources',
  'app',
  'manual_scan',
  'unknown',
];
