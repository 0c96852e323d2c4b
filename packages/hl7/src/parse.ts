import { unescape, USUAL, type Delimiters } from './escape.ts';
import { Hl7Error, MOST, type Field, type Message, type Segment, type Warnings } from './message.ts';

type Within = { delimiters: Delimiters; warnings: Warnings };

/** Reads a whole message, or throws Hl7Error. It never returns a part of a message. */
export function parse(text: string, warnings: Warnings = new Set()): Message {
  if (text.length > MOST.bytes) throw new Hl7Error('too_large');
  const lines = linesOf(text);
  if (lines.length > MOST.segments) throw new Hl7Error('too_large');
  const delimiters = delimitersOf(lines[0] ?? '');
  refuseManyParts(text, delimiters);
  const within = { delimiters, warnings };
  const [header = '', ...segments] = withoutBrokenLines(lines, text, within);
  return [headerOf(header, within), ...segments.map((line) => segmentOf(line, within))];
}

/**
 * Throws if a text has too many parts. Counts the delimiters before the text is split, because each part needs much
 * more memory than its delimiter.
 */
function refuseManyParts(text: string, { field, repetition, component, sub }: Delimiters): void {
  const marks = new Set([field, repetition, component, sub].map((mark) => mark.charCodeAt(0)));
  let parts = 0;
  for (let at = 0; at < text.length; at += 1)
    if (marks.has(text.charCodeAt(at)) && (parts += 1) > MOST.parts_of_message) throw new Hl7Error('too_large');
}

/**
 * Reads only the header of a message, so that an unreadable message can get a reply too. Returns null if there is no
 * header.
 */
export function parseHeader(text: string): Segment | null {
  try {
    const line = linesOf(text.slice(0, 4_096))[0] ?? '';
    return headerOf(line, { delimiters: delimitersOf(line), warnings: new Set() });
  } catch {
    return null;
  }
}

/** Splits a text into lines. HL7 ends a segment with CR; files often use LF or CR LF. */
const linesOf = (text: string): string[] =>
  text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== '');

/**
 * Joins lines that belong to one segment. In a message whose segments end with CR, an LF may be part of a text. So a
 * line after an LF that does not begin a segment belongs to the line before.
 */
function withoutBrokenLines(lines: string[], text: string, { delimiters, warnings }: Within): string[] {
  const ends = new Set(text.match(/\r\n|\r|\n/g) ?? []);
  if (!ends.has('\n') || ends.size === 1) return lines;
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r/)
    .flatMap((line) => {
      const [first = '', ...rest] = line.split('\n');
      const whole = [first];
      for (const part of rest) {
        if (part.trim() === '' || isSegment(part, delimiters)) whole.push(part);
        else {
          warnings.add('line_continued');
          whole.push(`${whole.pop() ?? ''}\n${part}`);
        }
      }
      return whole;
    })
    .filter((line) => line.trim() !== '');
}

const isSegment = (line: string, { field }: Delimiters): boolean =>
  /^[A-Z][A-Z0-9]{2}$/.test(line.slice(0, 3)) && ['', field].includes(line.charAt(3));

/** Returns the delimiters of a parsed message. */
export function delimitersOfMessage([header]: Message): Delimiters {
  const mark = (field: number): string => header?.fields[field]?.[0]?.[0]?.[0] ?? '';
  return delimitersOf(`MSH${mark(1)}${mark(2)}`);
}

function delimitersOf(line: string): Delimiters {
  if (!line.startsWith('MSH')) throw new Hl7Error('no_header');
  const [field = ''] = line.slice(3, 4);
  const marks = line.slice(4).split(field, 1)[0] ?? '';
  // HL7 v2.7 added a fifth delimiter, which marks shortened values. It is not needed to read a message.
  const [component = '', repetition = USUAL.repetition, escape = USUAL.escape, sub = USUAL.sub] = marks;
  const all = [field, component, repetition, escape, sub];
  if (marks.length > 5 || new Set(all).size < 5 || !all.every((mark) => /^[!-/:-@[-`{-~]$/.test(mark))) {
    throw new Hl7Error('bad_delimiters');
  }
  return { field, component, repetition, escape, sub };
}

function headerOf(line: string, within: Within): Segment {
  const { delimiters } = within;
  const [, marks = '', ...rest] = line.split(delimiters.field);
  if (rest.length + 2 > MOST.fields) throw new Hl7Error('too_large');
  return {
    name: 'MSH',
    fields: trimmed([[], [[[delimiters.field]]], [[[marks]]], ...rest.map((field) => fieldOf(field, within))]),
  };
}

function segmentOf(line: string, within: Within): Segment {
  const [name = '', ...rest] = line.split(within.delimiters.field);
  if (!/^[A-Z][A-Z0-9]{2}$/.test(name) || name === 'MSH') throw new Hl7Error('bad_segment');
  if (rest.length > MOST.fields) throw new Hl7Error('too_large');
  return { name, fields: trimmed([[], ...rest.map((field) => fieldOf(field, within))]) };
}

function fieldOf(text: string, { delimiters, warnings }: Within): Field {
  if (text === '') return [];
  const warn = (): unknown => warnings.add('unknown_escape');
  const repetitions = text.split(delimiters.repetition);
  if (repetitions.length > MOST.repetitions) throw new Hl7Error('too_large');
  return repetitions.map((repetition) => {
    const components = repetition.split(delimiters.component);
    if (components.length > MOST.parts) throw new Hl7Error('too_large');
    return withoutEmptyEnd(
      components.map((component) => {
        const subs = component.split(delimiters.sub);
        if (subs.length > MOST.parts) throw new Hl7Error('too_large');
        return withoutEmptyEnd(
          subs.map((sub) => unescape(sub, delimiters, warn)),
          (sub) => sub === '',
        );
      }),
      (component) => component.length === 0,
    );
  });
}

const isEmpty = (field: Field): boolean => field.every((repetition) => repetition.length === 0);

/** Removes empty parts at the end, which mean the same as missing ones. */
const trimmed = (fields: Field[]): Field[] =>
  withoutEmptyEnd(
    fields.map((field) => (isEmpty(field) ? [] : field)),
    isEmpty,
  );

function withoutEmptyEnd<T>(parts: T[], isEmptyPart: (part: T) => boolean): T[] {
  const last = parts.findLastIndex((part) => !isEmptyPart(part));
  return parts.slice(0, last + 1);
}
