import { linesWithEnds } from '@phial/hl7/lines';
import { MOST } from '@phial/hl7/message';
import { readOrderNumber } from './order-number.ts';

/** More people or orders than any laboratory tells of in one message: what is beyond is refused as a whole. */
const MOST_PARTS = 500;

/** Each part has them. */
const OF_MESSAGE: ReadonlySet<string> = new Set(['MSH', 'SFT', 'UAC']);

type Line = { name: string; text: string };

/**
 * A message as one for each patient and order that it tells of (ORU^R01 repeats PATIENT_RESULT and ORDER_OBSERVATION),
 * each with the message's own header: what becomes of one is no business of another, and each goes with its own user.
 * Nothing else of the bytes changes; a message of one patient and order stays as it is.
 */
export function splitMessage(bytes: Buffer): Buffer[] {
  const text = bytes.toString('latin1');
  const lines = linesOf(text);
  // It will be refused as a whole.
  if (lines.length > MOST.segments) return [bytes];
  const at = lines.findIndex(({ name }) => name === 'PID');
  const [head, rest] = at === -1 ? [lines, []] : [lines.slice(0, at), lines.slice(at)];
  const ofMessage = head.filter(({ name }) => OF_MESSAGE.has(name));
  // What stands before the first patient is nobody else's.
  const stray = head.filter(({ name }) => !OF_MESSAGE.has(name));
  const patients = patientsOf(rest);
  const parts = (patients.length === 0 ? [[]] : patients).flatMap((patient, place) =>
    ordersOf([...(place === 0 ? stray : []), ...patient]).map((order) => [...ofMessage, ...order]),
  );
  if (parts.length < 2 || parts.length > MOST_PARTS) return [bytes];
  return parts.map((part) => Buffer.from(part.map((line) => line.text).join(''), 'latin1'));
}

/** Segments with the ends of their lines; what begins none is part of the one before. */
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

/** A PID that says the same as one before, but for its set id, goes on with that patient. */
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

/** By the numbers that were issued here: what bears none goes with what stands before it, or else with the first. */
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

/** An ORC with its OBR, or an OBR alone, with what follows. */
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

/** OBR-2 or ORC-2, whose first component is the number that was issued. */
function numberOf(block: Line[]): string | null {
  const numbers = block
    .filter(({ name }) => name === 'OBR' || name === 'ORC')
    .map(({ text }) => text.split(text.charAt(3))[2] ?? '')
    .flatMap((field) => readOrderNumber(/^[\w-]*/.exec(field)?.[0] ?? '') ?? []);
  return numbers[0]?.number ?? null;
}
