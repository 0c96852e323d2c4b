// The names that an import may show as types of skipped records. A person may have chosen any other name in a file. It
// may be personal, so no response shows it.
import { SERIES } from '../../series.ts';
import { APPLE_ELEMENTS, APPLE_TYPES, CLINICAL_RECORDS } from './apple.ts';
import { ENDINGS, FILES, FOLDERS, SAMSUNG_TABLES } from './archives.ts';
import { FIT_FILES, FIT_MESSAGES } from './fit.ts';

const SUMMARIES = ['activity', 'body', 'electrocardiogram', 'profile', 'sleep', 'sleep_cycle', 'workouts'];

const whole = new Set([
  ...SERIES.map(({ name }) => name),
  ...SUMMARIES,
  ...APPLE_TYPES,
  ...APPLE_ELEMENTS,
  ...SAMSUNG_TABLES,
  ...FIT_MESSAGES,
  'UserSleeps',
  'UserSleepStages',
  'UserExercises',
  'workout',
  'file',
  'uploaded files',
  'files of other kinds',
]);

/**
 * Patterns of names with two known parts: an element with its type, or the name of a folder or file with its ending.
 */
const pairs: [RegExp, first: ReadonlySet<string>, second: ReadonlySet<string>][] = [
  [/^(\w+) (\w+)$/, new Set(APPLE_ELEMENTS), new Set([...APPLE_TYPES, ...CLINICAL_RECORDS])],
  [/^(file) (\w+)$/, new Set(['file']), new Set(FIT_FILES)],
  [/^(.+)\/\*\.(\w+)$/, new Set(FOLDERS), new Set(ENDINGS)],
  [/^(\w+) ?\*\.(\w+)$/, new Set(FILES), new Set(ENDINGS)],
];

export const isKnownName = (name: string): boolean =>
  whole.has(name) ||
  pairs.some(([form, first, second]) => {
    const [, one = '', other = ''] = form.exec(name) ?? [];
    return first.has(one) && second.has(other);
  });
