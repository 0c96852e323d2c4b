// The parsed form of an HL7 v2 message. Repetitions, components and sub-components are arrays. Texts are unescaped.

/**
 * A field is a list of repetitions. A repetition is a list of components, and a component a list of sub-components. An
 * empty field has no repetitions.
 */
export type Field = string[][][];

/**
 * A segment. `fields[n]` is field n in the numbering of HL7, and `fields[0]` is empty. The first two fields of MSH are
 * its delimiters.
 */
export type Segment = { name: string; fields: Field[] };

export type Message = Segment[];

/** Thrown for a text that is no readable message. The error has only a code, so it cannot name a patient. */
export class Hl7Error extends Error {
  readonly code: Hl7Problem;

  constructor(code: Hl7Problem) {
    super(`the text is not a readable HL7 message: ${code}`);
    this.name = 'Hl7Error';
    this.code = code;
  }
}

export type Hl7Problem = 'no_header' | 'bad_delimiters' | 'bad_segment' | 'too_large' | 'wrong_encoding';

/** Codes of warnings. Each is about something that the standard does not define; the message is read nevertheless. */
export type Hl7Warning = 'unknown_escape' | 'read_as_latin_1' | 'line_continued';
/** Collects warnings while a message is read. A Set fits. */
export type Warnings = { add: (warning: Hl7Warning) => unknown };

/**
 * The limits of a message. `parts` is for one component or repetition, `parts_of_message` for the whole message. No
 * laboratory sends more, and a message within the limits is read quickly.
 */
export const MOST = {
  bytes: 8_388_608,
  segments: 20_000,
  fields: 200,
  repetitions: 1_000,
  parts: 100,
  parts_of_message: 200_000,
} as const;

type Part = { component?: number; sub?: number; repetition?: number };

/**
 * Returns the text at a position, in the numbering of HL7. Returns an empty text if there is nothing or `""`, which HL7
 * writes for a deleted value.
 */
export function textAt(segment: Segment | undefined, field: number, part: Part = {}): string {
  const { component = 1, sub = 1, repetition = 1 } = part;
  const text = segment?.fields[field]?.[repetition - 1]?.[component - 1]?.[sub - 1] ?? '';
  return text === '""' ? '' : text.trim();
}

/** Returns the first component of every repetition of a field. Leaves out repetitions that are empty or `""`. */
export const textsAt = (segment: Segment | undefined, field: number): string[] =>
  (segment?.fields[field] ?? [])
    .map((repetition) => repetition[0]?.[0] ?? '')
    .filter((text) => text !== '' && text !== '""');

/**
 * Returns each repetition of a field as one text. This is for fields without components, where `^` and `&` are ordinary
 * characters.
 */
export const wholeTextsAt = (
  segment: Segment | undefined,
  field: number,
  { component, sub }: { component: string; sub: string },
): string[] =>
  (segment?.fields[field] ?? [])
    .map((repetition) => repetition.map((subs) => subs.join(sub)).join(component))
    .map((text) => (text === '""' ? '' : text));

export const segmentOf = (message: Message, name: string): Segment | undefined =>
  message.find((segment) => segment.name === name);

/** A field value to write: a text, a list of components, or components with sub-components. */
export type Value = string | (string | string[])[];

/** Makes a segment from its fields. The keys are field numbers. Missing fields are empty. */
export function segment(name: string, fields: Readonly<Record<number, Value | Value[] | undefined>>): Segment {
  const made: Field[] = [];
  for (const [number, value] of Object.entries(fields)) if (value !== undefined) made[Number(number)] = fieldOf(value);
  return { name, fields: Array.from(made, (field) => field ?? []) };
}

/** Marks an array as repetitions of a field. An array without the mark is a list of components. */
export const repeat = (values: Value[]): Value[] => Object.assign([...values], { [REPEATED]: true });
const REPEATED = Symbol('repetitions of a field');

function fieldOf(value: Value | Value[]): Field {
  if (typeof value !== 'string' && REPEATED in value) return (value as Value[]).map(componentsOf);
  return [componentsOf(value as Value)];
}

const componentsOf = (value: Value): string[][] =>
  typeof value === 'string' ? [[value]] : value.map((part) => (typeof part === 'string' ? [part] : part));
