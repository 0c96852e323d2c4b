import type { SourceType } from '../../source.ts';

/** The source types by words in the device text, the most specific words first. */
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

/** The source types that we have found for device and app texts, so that we search each text only once. */
const known = new Map<string, SourceType>();
const MOST_KNOWN = 1_000;

type Origin = { device?: string; sourceName?: string };

/** Returns a text that is the same for all records of one app on one device. */
export const sourceTextOf = ({ device = '', sourceName = '' }: Origin): string =>
  `${device.replace(/^<<HKDevice: 0x[0-9a-fA-F]+>,?\s*/, '')}\n${sourceName}`;

/**
 * Returns the source type of a record. We do not store the rest of the device text. The text begins with an address in
 * the phone's memory (`<<HKDevice: 0x28301a8f0>, name:Apple Watch, …>`), which is another one each time the app runs.
 * The name of a source often contains the name of a person.
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
  // A person has typed in a record without a device, or an app has computed it.
  return device === '' ? 'app' : 'unknown';
}
