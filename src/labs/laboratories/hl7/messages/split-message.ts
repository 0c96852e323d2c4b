import { linesWithEnds } from '@phial/hl7/lines-with-ends';
import { MOST } from '@phial/hl7/message';
import { readOrderNumber } from './order-number.ts';

/**
 * The most parts into which we split a message. No laboratory sends that many in one message. We refuse a message with
 * more parts, and apply none of its parts.
 */
const MAX_PARTS = 500;

/** The segments about the message itself, which we copy into every part. */
const OF_MESSAGE: ReadonlySet<string> = new Set(['MSH', 'SFT', 'UAC']);

type Line = { name: string; text: string };

/**
 * Splits a message with results (ORU^R01) into one message for each patient and order. Each part gets the header of the
 * message. No other bytes change. We apply the parts independently, and erase each part together with its own user. A
 * message about one patient and one order is returned unchanged.
 */
export function splitMessage(bytes: Buffer): Buffer[] {
  const text = bytes.toString('latin1');
  const lines = linesOf(text);
  // The parser will refuse this message, so we do not split it.
  if (lines.length > MOST.segments) return [bytes];
  const at = lines.findIndex(({ name }) => name === 'PID');
  const [head, rest] = at === -1 ? [lines, []] : [lines.slice(0, at), lines.slice(at)];
  const ofMessage = head.filter(({ name }) => OF_MESSAGE.has(name));
  // Segments before the first PID belong to the first patient.
  const stray = head.filter(({ name }) => !OF_MESSAGE.has(name));
  const patients = patientsOf(rest);
  const parts = (patients.length === 0 ? [[]] : patients).flatMap((patient, index) =>
    ordersOf([...(index === 0 ? stray : []), ...patient]).map((order) => [...ofMessage, ...order]),
  );
  if (parts.length < 2 || parts.length > MAX_PARTS) return [bytes];
  return parts.map((part) => Buffer.from(part.map((line) => line.text).join(''), 'latin1'));
}

/**
 * Returns the segments of a message with their line ends. A line that does not begin a segment belongs to the segment
 * before it.
 */
function linesOf(text: string): Line[] {
  const field = text.replace(/^\u00EF\u00BB\u00BF/, '').charAt(3);
  const lines: Line[] = [];
  for (const line of linesWithEnds(text)) {
    const [name = ''] = line.replace(/^\u00EF\u00BB\u00BF/, '').split(field, 1);
    const last = lines.at(-1);
    if (/^[A-Z][A-Z0-9]{2}$/.test(name.trim()) || !last) lines.push({ name: name.trim(), text: line });
    else last.text += line;
  }
  return lines;
}

/**
 * Groups segments by patient. If a PID equals an earlier PID in everything except its set id (PID-1), it continues the
 * group of that patient.
 */
function patientsOf(lines: Line[]): Line[][] {
  const patients = new Map<string, Line[]>();
  let patient: Line[] = [];
  for (const line of lines) {
    if (line.name !== 'PID') patient.push(line);
    else {
      const key = line.text.slice(4).replace(/^\w*/, '').trimEnd();
      const known = patients.get(key);
      patient = known ?? [line];
      patients.set(key, patient);
    }
  }
  return [...patients.values()];
}

/**
 * Groups segments by the order numbers that we issued. A block (a test with its values) without such a number belongs
 * to the order before it, or to the first order if there is none before it.
 */
function ordersOf(lines: Line[]): Line[][] {
  const start = lines.findIndex(({ name }) => name === 'ORC' || name === 'OBR');
  const blocks = start === -1 ? [] : blocksOf(lines.slice(start));
  const numbers = blocks.map(numberOf);
  const [first, ...others] = new Set(numbers.filter((number) => number !== null));
  if (first === undefined || others.length === 0) return [lines];
  const before = lines.slice(0, start);
  const stray = before.findIndex(({ name }) => name === 'OBX' || name === 'SPM');
  const ofPatient = stray === -1 ? before : before.slice(0, stray);
  const orders = new Map<string, Line[]>([[first, [...before]]]);
  for (const number of others) orders.set(number, [...ofPatient]);
  let current = first;
  for (const [at, block] of blocks.entries()) {
    current = numbers[at] ?? current;
    orders.get(current)?.push(...block);
  }
  return [...orders.values()];
}

/**
 * Returns blocks. A block begins with an ORC and its OBR, or with an OBR alone, and contains the segments up to the
 * next block.
 */
function blocksOf(lines: Line[]): Line[][] {
  const blocks: Line[][] = [];
  for (const line of lines) {
    const block = blocks.at(-1);
    const goesOn = line.name !== 'OBR' || (block?.[0]?.name === 'ORC' && !block.some(({ name }) => name === 'OBR'));
    if (!block || line.name === 'ORC' || !goesOn) blocks.push([line]);
    else block.push(line);
  }
  return blocks;
}

/** Returns our order number from the first component of OBR-2 or ORC-2. */
function numberOf(block: Line[]): string | null {
  const numbers = block
    .filter(({ name }) => name === 'OBR' || name === 'ORC')
    .map(({ text }) => text.split(text.charAt(3))[2] ?? '')
    .flatMap((field) => readOrderNumber(/^[\w-]*/.exec(field)?.[0] ?? '') ?? []);
  return numbers[0]?.number ?? null;
}
