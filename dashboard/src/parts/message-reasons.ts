// Why a message of a laboratory waits, in words, and what to do. docs/guides/repair-messages.md has the same codes.
import { inWords } from './status-badge.tsx';

type Reason = { words: string; todo: string };

const ASK = 'Ask the laboratory for a corrected message.';
const MEND = 'Mend the field here, or ask the laboratory for a corrected message.';
const MAP = 'Ask the operator to map the code. Then send the message through again.';
const NUMBER = 'Ask the laboratory for its order. The operator can mend the number.';
const FOREIGN = 'It may be about another person. Ask the laboratory, and discard it if it is not yours.';
const UNREADABLE = 'Ask the laboratory to send it again. The operator can mend it.';
const FOLLOW = 'Talk to the laboratory, then discard the message.';
const NOT_OURS = 'It is no message for this service. Discard it.';
const MANY = 'Ask the laboratory to send less at a time, or remove what the result does not need.';

const REASONS: Readonly<Record<string, Reason>> = {
  missing_obx_11: { words: 'A value has no status', todo: MEND },
  wrong_obx_11: { words: 'A value has an unknown status', todo: MEND },
  wrong_obr_25: { words: 'A test has an unknown status', todo: MEND },
  value_not_of_type: { words: 'A value is not of its type', todo: MEND },
  bad_time: { words: 'A time cannot be read', todo: MEND },
  value_told_twice: { words: 'Two values have the same code', todo: 'Number them as parts, or remove one of them.' },
  unmapped_code: { words: 'A code is not mapped', todo: MAP },
  missing_code: { words: 'A value has no code', todo: MEND },
  codes_disagree: { words: 'The codes of a value disagree', todo: MEND },
  unknown_number: { words: 'No order has its number', todo: NUMBER },
  missing_number: { words: 'It has no number of an order', todo: NUMBER },
  other_account: { words: 'It names the account of somebody else', todo: NUMBER },
  several_orders: { words: 'It is about several orders', todo: NUMBER },
  several_patients: { words: 'It is about several patients', todo: FOREIGN },
  patient_mismatch: { words: 'Its patient is not that of the order', todo: FOREIGN },
  observation_without_request: { words: 'A value stands before its test', todo: ASK },
  missing_report: { words: 'It has no test', todo: ASK },
  document_without_values: { words: 'The values are only in a document', todo: 'Ask the laboratory for values.' },
  document_broken: { words: 'Its document is broken', todo: 'Ask for it again, or remove the document.' },
  document_too_large: { words: 'Its document is too large', todo: 'Ask for a smaller one, or remove the document.' },
  too_many_documents: { words: 'It has several documents', todo: 'Remove those that are not the report.' },
  too_many_observations: { words: 'It has too many values', todo: MANY },
  too_many_samples: { words: 'It has too many samples', todo: MANY },
  too_many_laboratories: { words: 'It names too many laboratories', todo: MANY },
  text_too_long: { words: 'A text is too long', todo: MEND },
  order_full: { words: 'The order can hold no more results', todo: MANY },
  user_scheduled_for_deletion: { words: 'The user is about to be deleted', todo: 'Nothing has to be done.' },
  wrong_orc_1: { words: 'The order cannot follow this update', todo: FOLLOW },
  test_has_result: { words: 'The test has its result already', todo: FOLLOW },
  order_under_way: { words: 'The order is already under way', todo: FOLLOW },
  missing_control_id: { words: 'The message has no id', todo: UNREADABLE },
  no_header: { words: 'The message has no header', todo: UNREADABLE },
  bad_delimiters: { words: 'Its delimiters are wrong', todo: UNREADABLE },
  bad_segment: { words: 'A segment cannot be read', todo: UNREADABLE },
  too_large: { words: 'The message is too large', todo: UNREADABLE },
  wrong_encoding: { words: 'Its characters cannot be read', todo: UNREADABLE },
  wrong_type: { words: 'It is of another type', todo: NOT_OURS },
  wrong_version: { words: 'It is of another version of HL7', todo: NOT_OURS },
  wrong_processing: { words: 'It is marked as a test', todo: NOT_OURS },
  unknown_sender: { words: 'Its sender is not known', todo: NOT_OURS },
  given_up: { words: 'Reading it never ended', todo: 'Send it through again, and tell the operator.' },
  internal_error: {
    words: 'The service had a fault',
    todo: 'Nothing has to be done: it is tried each minute. If it stays, tell the operator.',
  },
};

/** The reasons that people meet, for a filter. */
export const REASON_CODES: readonly string[] = Object.keys(REASONS);

const ENDED: Readonly<Record<string, string>> = {
  unmatched: 'It became a result without an order',
  unmatched_document_left_out: 'It became a result without an order, and its document was left out',
  order_ended: 'The order had ended',
  superseded: 'Something newer was already known',
  document_left_out: 'Its values are on the order, its document is not',
  repaired: 'A mended message replaced it',
  discarded: 'Somebody discarded it',
};

/** The words for a reason. The code itself as words where this page does not know it. */
export const reasonInWords = (code: string): string => REASONS[code]?.words ?? ENDED[code] ?? inWords(code);

export const todoFor = (code: string): string | null => REASONS[code]?.todo ?? null;

/** The fields of a segment in which the fault of this reason is. Empty: the reason names no field. */
export function faultyFields(reason: string, segment: string): readonly number[] {
  const fields = FAULTY[reason];
  return (fields && Object.hasOwn(fields, segment) && fields[segment]) || [];
}

const CODES = { OBX: [3], OBR: [4] };
const DOCUMENT = { OBX: [5] };
const FAULTY: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>> = {
  missing_obx_11: { OBX: [11] },
  wrong_obx_11: { OBX: [11] },
  wrong_obr_25: { OBR: [25] },
  value_not_of_type: { OBX: [2, 5] },
  bad_time: { OBX: [14], OBR: [7, 14, 22], SPM: [17, 18] },
  value_told_twice: { OBX: [4] },
  unmapped_code: CODES,
  missing_code: CODES,
  codes_disagree: CODES,
  document_without_values: DOCUMENT,
  document_broken: DOCUMENT,
  document_too_large: DOCUMENT,
  too_many_documents: DOCUMENT,
  text_too_long: { OBX: [5], NTE: [3] },
};
