import { randomUUID } from 'node:crypto';
import { segment, textAt, type Message, type Segment } from '../codec/message.ts';
import { writeTime } from './times.ts';
import { ownOf } from '../../../../wire/own.ts';

/** HL7 table 0008: accepted, an error in what it says, rejected as a message. */
export type AckCode = 'AA' | 'AE' | 'AR';

/** Of an answer of ours. Random, since ids that are made in one moment begin alike, and MSH-10 has 20 characters. */
export const controlId = (): string => randomUUID().replaceAll('-', '').slice(0, 20);

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
  const msa = segment('MSA', {
    1: wantsCommit(header) ? code.replace('A', 'C') : code,
    2: textAt(header ?? undefined, 10),
  });
  if (reason === null) return [msh, msa];
  return [
    msh,
    msa,
    segment('ERR', {
      3: ownOf(ERROR_CODES, reason) ?? ['207', 'Application internal error', 'HL70357'],
      4: 'E',
      5: ['', reason],
    }),
  ];
}

/** Enhanced mode: it asks to be told that the message is kept (MSH-15), and not what becomes of it (MSH-16). */
const wantsCommit = (header: Segment | null): boolean =>
  textAt(header ?? undefined, 15) === 'AL' && textAt(header ?? undefined, 16) === 'NE';

/** HL7 table 0357, for the reasons that have a word there. */
const ERROR_CODES: Readonly<Record<string, string[]>> = {
  no_header: ['100', 'Segment sequence error', 'HL70357'],
  bad_segment: ['100', 'Segment sequence error', 'HL70357'],
  missing_obx_11: ['101', 'Required field missing', 'HL70357'],
  missing_number: ['101', 'Required field missing', 'HL70357'],
  missing_report: ['101', 'Required field missing', 'HL70357'],
  observation_without_request: ['100', 'Segment sequence error', 'HL70357'],
  wrong_obr_25: ['103', 'Table value not found', 'HL70357'],
  wrong_obx_11: ['103', 'Table value not found', 'HL70357'],
  unmapped_code: ['103', 'Table value not found', 'HL70357'],
  codes_disagree: ['103', 'Table value not found', 'HL70357'],
  value_told_twice: ['205', 'Duplicate key identifier', 'HL70357'],
  wrong_orc_1: ['103', 'Table value not found', 'HL70357'],
  wrong_type: ['200', 'Unsupported message type', 'HL70357'],
  wrong_version: ['203', 'Unsupported version id', 'HL70357'],
  wrong_processing: ['202', 'Unsupported processing id', 'HL70357'],
  unknown_number: ['204', 'Unknown key identifier', 'HL70357'],
  other_account: ['204', 'Unknown key identifier', 'HL70357'],
  patient_mismatch: ['204', 'Unknown key identifier', 'HL70357'],
  several_orders: ['204', 'Unknown key identifier', 'HL70357'],
  several_patients: ['204', 'Unknown key identifier', 'HL70357'],
  wrong_encoding: ['102', 'Data type error', 'HL70357'],
  value_not_of_type: ['102', 'Data type error', 'HL70357'],
  document_broken: ['102', 'Data type error', 'HL70357'],
  bad_time: ['102', 'Data type error', 'HL70357'],
};
