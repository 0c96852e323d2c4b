import { escape, USUAL } from './escape.ts';
import type { Field, Message, Segment } from './message.ts';

/** Writes a message with the usual delimiters, and with CR after every segment. Leaves out empty parts at the end. */
export const write = (message: Message): string => message.map((segment) => `${writeSegment(segment)}\r`).join('');

/** The segments that define their own delimiters. */
const HEADERS: ReadonlySet<string> = new Set(['MSH', 'BHS', 'FHS']);

function writeSegment({ name, fields }: Segment): string {
  const { field: mark } = USUAL;
  if (!HEADERS.has(name)) return withoutEnd([name, ...fields.slice(1).map(writeField)].join(mark), mark);
  const { component, repetition, escape: escaping, sub } = USUAL;
  const header = [`${name}${mark}${component}${repetition}${escaping}${sub}`, ...fields.slice(3).map(writeField)];
  return withoutEnd(header.join(mark), mark);
}

const writeField = (field: Field): string => field.map(writeRepetition).join(USUAL.repetition);

const writeRepetition = (components: string[][]): string =>
  withoutEnd(
    components
      .map((subs) => withoutEnd(subs.map((sub) => escape(sub, USUAL)).join(USUAL.sub), USUAL.sub))
      .join(USUAL.component),
    USUAL.component,
  );

function withoutEnd(text: string, mark: string): string {
  let end = text.length;
  while (text[end - 1] === mark) end -= 1;
  return text.slice(0, end);
}
