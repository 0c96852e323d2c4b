import { randomUUID } from 'node:crypto';
import { segment, segmentOf, textAt, type Message, type Segment } from './message.ts';
import { replyAddress } from './reply-address.ts';
import { writeTime } from './times.ts';

/** HL7 table 0008: accepted, an error in the content, rejected as a message. */
export type AckCode = 'AA' | 'AE' | 'AR';

/** HL7 table 0357, as far as it is written here. */
const CONDITIONS = {
  '100': 'Segment sequence error',
  '101': 'Required field missing',
  '102': 'Data type error',
  '103': 'Table value not found',
  '200': 'Unsupported message type',
  '202': 'Unsupported processing id',
  '203': 'Unsupported version id',
  '204': 'Unknown key identifier',
  '205': 'Duplicate key identifier',
  '207': 'Application internal error',
} as const;
export type Condition = keyof typeof CONDITIONS;

/** `text` must not name a patient: acknowledgments are logged on the way. */
export type AckError = { condition: Condition; text: string };

/** A control id (MSH-10). Random, since ids that are made in one moment begin alike and MSH-10 has 20 characters. */
export const newControlId = (): string => randomUUID().replaceAll('-', '').slice(0, 20);

/** The acknowledgment of a message by its header; `header` is null where the message has none that can be read. */
export function acknowledge(
  header: Segment | null,
  { code, error, id }: { code: AckCode; error: AckError | null; id: string },
): Message {
  const trigger = textAt(header ?? undefined, 9, { component: 2 }) || 'R01';
  const msh = segment('MSH', {
    1: '|',
    2: '^~\\&',
    ...replyAddress(header),
    7: writeTime(new Date().toISOString(), 'UTC'),
    9: ['ACK', trigger, 'ACK'],
    10: id,
    11: textAt(header ?? undefined, 11) || 'P',
    12: textAt(header ?? undefined, 12) || '2.5.1',
  });
  const msa = segment('MSA', {
    1: wantsCommit(header) ? code.replace('A', 'C') : code,
    2: textAt(header ?? undefined, 10),
  });
  if (error === null) return [msh, msa];
  const { condition, text } = error;
  return [msh, msa, segment('ERR', { 3: [condition, CONDITIONS[condition], 'HL70357'], 4: 'E', 5: ['', text] })];
}

/** Enhanced mode: the sender wants to know that the message is stored (MSH-15), and not what follows (MSH-16). */
const wantsCommit = (header: Segment | null): boolean =>
  textAt(header ?? undefined, 15) === 'AL' && textAt(header ?? undefined, 16) === 'NE';

export type Acknowledgment = {
  /** MSA-2: the control id of the message that it answers. */
  controlId: string;
  code: AckCode;
  /** By a commit code: the message is stored, and its sender does not know yet what follows. */
  isCommit: boolean;
  /** A code of HL7 table 0357, where there is one; never the sender's words, which may name a patient. */
  condition: string | null;
};

/** Reads MSA and ERR; null where the message acknowledges nothing. */
export function readAcknowledgment(message: Message): Acknowledgment | null {
  const msa = segmentOf(message, 'MSA');
  const [, kind, verdict] = /^([AC])([AER])$/.exec(textAt(msa, 1)) ?? [];
  if (kind === undefined || verdict === undefined) return null;
  const condition = textAt(segmentOf(message, 'ERR'), 3);
  return {
    controlId: textAt(msa, 2),
    code: `A${verdict}` as AckCode,
    isCommit: kind === 'C',
    condition: /^\d{1,5}$/.test(condition) ? condition : null,
  };
}
