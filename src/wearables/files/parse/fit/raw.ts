// The laps and developer fields of a FIT workout. Developer fields have measurements of third-party apps on the watch.
// Phial has no fields for either, so they become part of the raw payload.
import { at, text, type Message, type Messages } from './fit-messages.ts';

const MAX_LAPS = 1_000;
const MAX_FIELDS = 50;
/** The most values that all developer fields may have together: twice the most points of a workout. */
const MAX_VALUES = 200_000;
const LONGEST_TEXT = 200;

type Within = (moment: number | undefined) => boolean;

/** Returns the raw payload; undefined if the workout has neither laps nor developer fields. */
export function rawOf(messages: Messages, session: Message, within: Within): Record<string, unknown> | undefined {
  const laps = (messages['lap'] ?? []).filter((lap) => within(at(lap['start_time']) ?? at(lap['timestamp'])));
  const developer_fields = developerFields(messages, session, within);
  if (laps.length === 0 && developer_fields.length === 0) return undefined;
  return { laps: laps.slice(0, MAX_LAPS).map(plain), developer_fields };
}

/**
 * Returns each developer field with its name, its unit, its value for the complete workout, and its values in the
 * records. `time` has the seconds of these values.
 */
function developerFields({ field_description = [], record = [] }: Messages, session: Message, within: Within) {
  const records = record.filter((each) => within(at(each['timestamp'])));
  let left = MAX_VALUES;
  return field_description.slice(0, MAX_FIELDS).flatMap((field) => {
    const name = text(first(field['field_name'])).slice(0, LONGEST_TEXT);
    if (name === '') return [];
    const measured = records.filter((each) => each[name] !== undefined);
    const isTooMuch = measured.length > left;
    if (!isTooMuch) left -= measured.length;
    const fitting = isTooMuch ? [] : measured;
    if (fitting.length === 0 && session[name] === undefined && !isTooMuch) return [];
    return [
      {
        name,
        units: text(first(field['units'])).slice(0, LONGEST_TEXT),
        session: valueOf(session[name]),
        records: {
          time: fitting.map((each) => Math.floor((at(each['timestamp']) ?? 0) / 1_000)),
          value: fitting.map((each) => valueOf(each[name])),
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
