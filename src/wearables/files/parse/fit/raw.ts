// What a FIT file says of a workout beyond the fields that there are here, as its raw payload keeps it: laps, and what apps of others
// on the watch have measured.
import { at, text, type Message, type Messages } from './messages.ts';

const MOST_LAPS = 1_000;
const MOST_FIELDS = 50;
/** Of all developer fields together; as many points as a workout may have, twice. */
const MOST_VALUES = 200_000;
const LONGEST_TEXT = 200;

type Within = (moment: number | undefined) => boolean;

/** Undefined where there is nothing of it. */
export function rawOf(messages: Messages, session: Message, within: Within): Record<string, unknown> | undefined {
  const laps = (messages['lap'] ?? []).filter((lap) => within(at(lap['start_time']) ?? at(lap['timestamp'])));
  const developer_fields = developerFields(messages, session, within);
  if (laps.length === 0 && developer_fields.length === 0) return undefined;
  return { laps: laps.slice(0, MOST_LAPS).map(plain), developer_fields };
}

/** Each with its name and unit, its value of the whole workout and one a record, of which `time` are the seconds. */
function developerFields({ field_description = [], record = [] }: Messages, session: Message, within: Within) {
  const records = record.filter((each) => within(at(each['timestamp'])));
  let left = MOST_VALUES;
  return field_description.slice(0, MOST_FIELDS).flatMap((field) => {
    const name = text(first(field['field_name'])).slice(0, LONGEST_TEXT);
    if (name === '') return [];
    const measured = records.filter((each) => each[name] !== undefined);
    const isTooMuch = measured.length > left;
    if (!isTooMuch) left -= measured.length;
    const told = isTooMuch ? [] : measured;
    if (told.length === 0 && session[name] === undefined && !isTooMuch) return [];
    return [
      {
        name,
        units: text(first(field['units'])).slice(0, LONGEST_TEXT),
        session: valueOf(session[name]),
        records: {
          time: told.map((each) => Math.floor((at(each['timestamp']) ?? 0) / 1_000)),
          value: told.map((each) => valueOf(each[name])),
        },
        left_out: isTooMuch ? measured.length : 0,
      },
    ];
  });
}

const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);

const plain = (message: Message): Message =>
  Object.fromEntries(
    Object.entries(message)
      .map(([name, value]) => [name, valueOf(value)] as const)
      .filter(([, value]) => value !== null),
  );

function valueOf(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string') return value.slice(0, LONGEST_TEXT);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'boolean') return value;
  return Array.isArray(value) ? value.slice(0, 100).map(valueOf) : null;
}
