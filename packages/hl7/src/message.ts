// An HL7 v2 message as values: repetitions, components and sub-components are arrays, text is unescaped.

/** A field: its repetitions, each of components, each of sub-components. An empty field has none. */
export type Field = string[][][];

/** `fields[n]` is field n as HL7 counts; `fields[0]` is empty. Of MSH the first two are its delimiters. */
export type Segment = { name: string; fields: Field[] };

export type Message = Segment[];

/** Why a text is no message that can be read. The code is all that it says, so that it names no patient. */
export class Hl7Error extends Error {
  readonly code: Hl7Problem;

  constructor(code: Hl7Problem) {
    super(`this is no HL7 message that can be read: ${code}`);
    this.name = 'Hl7Error';
    this.code = code;
  }
}

export type Hl7Problem = 'no_header' | 'bad_delimiters' | 'bad_segment' | 'too_large' | 'wrong_encoding';

/** What was read as it stood, although the standard knows no such thing. */
export type Hl7Warning = 'unknown_escape' | 'read_as_latin_1' | 'line_continued';
/** Filled while a message is read; a Set is one. */
export type Warnings = { add: (warning: Hl7Warning) => unknown };

/**
 * The bounds of a message (`parts` of a component or a repetition, `parts_of_message` of all of it): more than any
 * laboratory sends, few enough to be read in a moment.
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

/** The text at a position, counted as HL7 counts; empty where there is none, and where `""` says so. */
export function textAt(segment: Segment | undefined, field: number, part: Part = {}): string {
  const { component = 1, sub = 1, repetition = 1 } = part;
  const text = segment?.fields[field]?.[repetition - 1]?.[component - 1]?.[sub - 1] ?? '';
  return text === '""' ? '' : text.trim();
}

/** Every repetition of a field, by its first component; what is empty, or said to be by `""`, is left out. */
export const textsAt = (segment: Segment | undefined, field: number): string[] =>
  (segment?.fields[field] ?? [])
    .map((repetition) => repetition[0]?.[0] ?? '')
    .filter((text) => text !== '' && text !== '""');

/** The text of a field that has no parts, each repetition whole: delimiters of other fields are letters there. */
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

/** A field's value for the writer: a text, components, or components of sub-components. */
export type Value = string | (string | string[])[];

/** A segment out of its fields by number; what is left out is empty. */
export function segment(name: string, fields: Readonly<Record<number, Value | Value[] | undefined>>): Segment {
  const made: Field[] = [];
  for (const [number, value] of Object.entries(fields)) if (value !== undefined) made[Number(number)] = fieldOf(value);
  return { name, fields: Array.from(made, (field) => field ?? []) };
}

/** `repeat` marks repetitions: components are arrays, too. */
export const repeat = (values: Value[]): Value[] => Object.assign([...values], { [REPEATED]: true });
const REPEATED = Symbol('repetitions of a field');

function fieldOf(value: Value | Value[]): Field {
  if (typeof value !== 'string' && REPEATED in value) return (value as Value[]).map(componentsOf);
  return [componentsOf(value as Value)];
}

const componentsOf = (value: Value): string[][] =>
  typeof value === 'string' ? [[value]] : value.map((part) => (typeof part === 'string' ? [part] : part));
