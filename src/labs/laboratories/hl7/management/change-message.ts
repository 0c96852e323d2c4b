import type { Static } from 'typebox';
import { Hl7Error } from '@phial/hl7/message';
import { parse } from '@phial/hl7/parse';
import { AppError } from '../../../../errors.ts';
import type { MessageRepair } from './schemas.ts';

/**
 * The fields that a repair by HTTP may change. They contain reported data and identify neither a person nor an order.
 * So a repaired message finds the same order, and nobody can use a repair to move a result to another team's order.
 */
const CHANGEABLE: Readonly<Record<string, readonly number[]>> = {
  OBR: [4, 7, 14, 22, 25],
  OBX: [2, 3, 4, 5, 6, 7, 8, 11, 14],
  NTE: [3],
  SPM: [4, 17, 18, 21],
};
const REMOVABLE: ReadonlySet<string> = new Set(['OBX', 'NTE']);

export type ShownSegment = { number: number; name: string; fields: Record<string, string> };
type Change = Static<typeof MessageRepair>['changes'][number];

/**
 * Returns the lines of a message; null if a line is not exactly one segment (the unit that a name such as OBX begins).
 */
function linesOrNull(text: string): string[] | null {
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '');
  try {
    return parse(text).length === lines.length ? lines : null;
  } catch (error) {
    if (error instanceof Hl7Error) return null;
    throw error;
  }
}

/**
 * Returns the segments and fields that a repair may change; null if the message cannot be split into lines of one
 * segment each.
 */
export function shownSegments(raw: Buffer): ShownSegment[] | null {
  const text = textOf(raw);
  const lines = linesOrNull(text);
  if (!lines) return null;
  const mark = (lines[0] as string).charAt(3);
  return lines.flatMap((line, at) => {
    const fields = line.split(mark);
    const name = fields[0] as string;
    if (!Object.hasOwn(CHANGEABLE, name)) return [];
    const shown = (CHANGEABLE[name] as number[]).flatMap((field) =>
      fields[field] === undefined || fields[field] === '' ? [] : [[String(field), fields[field]]],
    );
    return [{ number: at + 1, name, fields: Object.fromEntries(shown) as Record<string, string> }];
  });
}

/** Returns the message with these changes. Throws message_not_repairable and lists every change that is not allowed. */
export function changeMessage(raw: Buffer, changes: Change[]): Buffer {
  const lines = linesOrNull(textOf(raw));
  if (!lines) throw notRepairable('This message cannot be changed field by field. The operator must repair it.');
  const mark = (lines[0] as string).charAt(3);
  const segments = lines.map((line) => line.split(mark));
  const problems = changes.flatMap((change, at) => {
    const problem = problemOf(segments[change.segment - 1]?.[0], change, mark);
    return problem === null ? [] : [`changes/${at} ${problem}`];
  });
  if (problems.length > 0) throw notRepairable(`The message was not changed: ${problems.join('; ')}.`);
  const removed = new Set(changes.filter(({ remove }) => remove).map(({ segment }) => segment - 1));
  for (const { segment, field, value, remove } of changes) {
    if (remove) continue;
    const fields = segments[segment - 1] as string[];
    while (fields.length <= (field as number)) fields.push('');
    fields[field as number] = value as string;
  }
  const text = segments.filter((_, at) => !removed.has(at)).map((fields) => fields.join(mark));
  return bytesOf(`${text.join('\r')}\r`, raw);
}

function problemOf(name: string | undefined, { field, value, remove }: Change, mark: string): string | null {
  if (name === undefined) return 'does not name a segment of the message';
  if (remove) return REMOVABLE.has(name) ? null : `removes ${name}, but only OBX and NTE can be removed`;
  if (field === undefined || value === undefined) return 'needs field and value, or remove';
  const allowed = Object.hasOwn(CHANGEABLE, name) ? (CHANGEABLE[name] as readonly number[]) : [];
  if (!allowed.includes(field)) return `changes ${name}-${field}, which a repair cannot change`;
  return value.includes(mark) ? `has ${mark} in its value, which would end the field` : null;
}

const notRepairable = (text: string): AppError => new AppError('message_not_repairable', text);

/**
 * Decodes the bytes as UTF-8 if they are valid UTF-8. Otherwise it makes one character of each byte. In both cases,
 * unchanged parts keep their exact bytes.
 */
function textOf(raw: Buffer): string {
  const text = raw.toString('utf8');
  return Buffer.from(text, 'utf8').equals(raw) ? text : raw.toString('latin1');
}

function bytesOf(text: string, raw: Buffer): Buffer {
  const isUtf8 = Buffer.from(raw.toString('utf8'), 'utf8').equals(raw);
  if (isUtf8) return Buffer.from(text, 'utf8');
  if (/[^\0-\xff]/.test(text))
    throw notRepairable('The message was not changed: its encoding has no code for a character of a value.');
  return Buffer.from(text, 'latin1');
}
