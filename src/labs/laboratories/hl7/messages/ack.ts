import { segment, segmentOf, textAt, type Message, type Segment } from '../codec/message.ts';
import { writeTime } from './times.ts';

/** HL7 table 0008: accepted, an error in what it says, rejected as a message. */
export type AckCode = 'AA' | 'AE' | 'AR';

/** The answer to a message by its header; null where it had none that could be read. A code is all that it says of why. */
export function ackOf(
  header: Segment | null,
  { code, reason, id }: { code: AckCode; reason: string | null; id: string },
): Message {
  const trigger = textAt(header ?? undefined, 9, { component: 2 }) || 'R01';
  const of = (field: number): string[] => (header?.fields[field]?.[0] ?? []).map((component) => component[0] ?? '');
  const msh = segment('MSH', {
    1: '|',
    2: '^~\\&',
    3: of(5),
    4: of(6),
    5: of(3),
    6: of(4),
    7: writeTime(new Date().toISOString(), 'UTC'),
    9: ['ACK', trigger, 'ACK'],
    10: id,
    11: textAt(header ?? undefined, 11) || 'P',
    12: textAt(header ?? undefined, 12) || '2.5.1',
  });
  const msa = segment('MSA', { 1: code, 2: textAt(header ?? undefined, 10) });
  if (reason === null) return [msh, msa];
  return [
    msh,
    msa,
    segment('ERR', {
      3: ERROR_CODES[reason] ?? ['207', 'Application internal error', 'HL70357'],
      4: 'E',
      5: ['', reason],
    }),
  ];
}

/** HL7 table 0357, for the reasons that have a word there. */
const ERROR_CODES: Readonly<Record<string, string[]>> = {
  no_header: ['100', 'Segment sequence error', 'HL70357'],
  bad_segment: ['100', 'Segment sequence error', 'HL70357'],
  missing_obx_11: ['101', 'Required field missing', 'HL70357'],
  missing_number: ['101', 'Required field missing', 'HL70357'],
  wrong_obr_25: ['103', 'Table value not found', 'HL70357'],
  wrong_obx_11: ['103', 'Table value not found', 'HL70357'],
  unmapped_code: ['103', 'Table value not found', 'HL70357'],
  codes_disagree: ['103', 'Table value not found', 'HL70357'],
  value_told_twice: ['205', 'Duplicate key identifier', 'HL70357'],
  wrong_type: ['200', 'Unsupported message type', 'HL70357'],
  wrong_version: ['203', 'Unsupported version id', 'HL70357'],
  wrong_processing: ['202', 'Unsupported processing id', 'HL70357'],
  unknown_number: ['204', 'Unknown key identifier', 'HL70357'],
  other_account: ['204', 'Unknown key identifier', 'HL70357'],
  other_patient: ['204', 'Unknown key identifier', 'HL70357'],
  several_orders: ['204', 'Unknown key identifier', 'HL70357'],
  order_ended: ['204', 'Unknown key identifier', 'HL70357'],
  wrong_encoding: ['102', 'Data type error', 'HL70357'],
  value_not_of_type: ['102', 'Data type error', 'HL70357'],
  document_broken: ['102', 'Data type error', 'HL70357'],
  bad_time: ['102', 'Data type error', 'HL70357'],
};

/** What an answer says of the message with this control id; null where it is no answer to that. */
export function readAck(message: Message, controlId: string): { code: AckCode; reason: string | null } | null {
  const msa = segmentOf(message, 'MSA');
  if (!msa || textAt(msa, 2) !== controlId) return null;
  const code = { A: 'AA', E: 'AE', R: 'AR' }[textAt(msa, 1).slice(1)] as AckCode | undefined;
  if (code === undefined || !/^[AC][AER]$/.test(textAt(msa, 1))) return null;
  // A code of table 0357 is told on; the laboratory's words may name a patient.
  const error = textAt(segmentOf(message, 'ERR'), 3);
  return { code, reason: /^\d{1,5}$/.test(error) ? error : null };
}
