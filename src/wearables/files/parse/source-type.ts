import type { SourceType } from '../../source.ts';

/** Words of device texts and what they are the words of, the most telling first. */
const KINDS: [RegExp, SourceType][] = [
  [/watch|fenix|forerunner|venu/, 'watch'],
  [/iphone|ipad|ipod/, 'phone'],
  [/airpods|earbuds|powerbeats/, 'earphone'],
  [/\bring\b|oura/, 'ring'],
  [/scale|renpho|index s2|body\+|body cardio/, 'scale'],
  [/chest|strap|polar h\d|tickr|hrm-/, 'chest_strap'],
  [/cuff|blood pressure|omron|bpm/, 'cuff'],
  [/libre|dexcom|cgm/, 'automatic'],
];

/** Names of devices and apps that were met, so that each is looked at once. */
const known = new Map<string, SourceType>();
const MOST_KNOWN = 1_000;

type Origin = { device?: string; sourceName?: string };

/** The same for all records of one app on one device. */
export const sourceTextOf = ({ device = '', sourceName = '' }: Origin): string =>
  `${device.replace(/^<<HKDevice: 0x[0-9a-fA-F]+>,?\s*/, '')}\n${sourceName}`;

/**
 * The kind of device that a record comes from. Of the device's text only that is kept: it begins with an address in the
 * phone's memory (`<<HKDevice: 0x28301a8f0>, name:Apple Watch, …>`), which is another one for every run of the app, and
 * the name of a source is often that of a person.
 */
export function sourceTypeOf(record: Origin): SourceType {
  const text = sourceTextOf(record);
  const before = known.get(text);
  if (before) return before;
  const kind = look(text);
  if (known.size < MOST_KNOWN) known.set(text, kind);
  return kind;
}

function look(text: string): SourceType {
  const [device = '', source = ''] = text.toLowerCase().split('\n');
  for (const part of [device, source]) {
    const found = KINDS.find(([words]) => words.test(part));
    if (found) return found[1];
  }
  // What no device measured was told or reckoned by an app.
  return device === '' ? 'app' : 'unknown';
}
