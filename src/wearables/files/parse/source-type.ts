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

/** The source types that were found, by text. So each text is searched only once. */
const known = new Map<string, SourceType>();
const MAX_KNOWN = 1_000;

type Origin = { device?: string; sourceName?: string };

/** Returns a text that all records of one app on one device have in common. */
export const sourceTextOf = ({ device = '', sourceName = '' }: Origin): string =>
  `${device.replace(/^<<HKDevice: 0x[0-9a-fA-F]+>,?\s*/, '')}\n${sourceName}`;

/**
 * Returns the source type of a record. We store nothing else of the device's text, because names of devices often
 * contain the name of a person. The text begins with an address in the phone's memory (`<<HKDevice: 0x28301a8f0>,
 * name:Apple Watch, …>`). This address changes each time the app runs, so sourceTextOf removes it.
 */
export function sourceTypeOf(record: Origin): SourceType {
  const text = sourceTextOf(record);
  const before = known.get(text);
  if (before) return before;
  const kind = look(text);
  if (known.size < MAX_KNOWN) known.set(text, kind);
  return kind;
}

function look(text: string): SourceType {
  const [device = '', source = ''] = text.toLowerCase().split('\n');
  for (const part of [device, source]) {
    const found = KINDS.find(([words]) => words.test(part));
    if (found) return found[1];
  }
  // A record without a device was typed in by the person or computed by an app.
  return device === '' ? 'app' : 'unknown';
}
