import { randomUUID } from 'node:crypto';
import { segment, segmentOf, textAt, type Message, type Segment } from './message.ts';
import { replyAddress } from './reply-address.ts';
import { writeTime } from './times.ts';

/** Codes of HL7 table 0008: AA accepts a message, AE reports an error in its content, AR rejects the message. */
export type AckCode = 'AA' | 'AE' | 'AR';

/** The conditions of HL7 table 0357 that this package writes, by code. */
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

/**
 * An error in an acknowledgment. Systems between sender and receiver log acknowledgments, so `text` must not name a
 * patient.
 */
export type AckError = { condition: Condition; text: string };

/**
 * Makes a control id (MSH-10), which has at most 20 characters. An id that begins with the time would have few
 * characters left to differ, so this one is random.
 */
export const newControlId = (): string => randomUUID().replaceAll('-', '').slice(0, 20);

/** Writes the acknowledgment of a message. `header` is the header of that message; null if it is unreadable. */
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

/**
 * Returns whether the sender requests enhanced mode without an application acknowledgment: MSH-15 requests an
 * acknowledgment that we have stored the message, and MSH-16 requests none of what we did with it.
 */
const wantsCommit = (header: Segment | null): boolean =>
  textAt(header ?? undefined, 15) === 'AL' && textAt(header ?? undefined, 16) === 'NE';

export type Acknowledgment = {
  /** MSA-2: the control id of the acknowledged message. */
  controlId: string;
  code: AckCode;
  /** True if the peer has only stored the message (a commit code), and will report the outcome later. */
  isCommit: boolean;
  /**
   * A code of HL7 table 0357; null if there is none. It is never the sender's own text, because that may name a
   * patient.
   */
  condition: string | null;
};

/** Reads MSA and ERR. Returns null if the message is not an acknowledgment. */
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
