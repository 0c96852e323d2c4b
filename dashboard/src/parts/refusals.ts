// Why a message to a laboratory was refused, in words. docs/guides/repair-messages.md has the same codes.
import { inWords } from './in-words.ts';

const FIX = 'Fix the cause in the order, then send it again.';
const CALL = 'Call the laboratory. If it will not do the tests, give up.';
const ASK = 'Ask the laboratory whether it has the order before you send it again.';
const LATER = 'Send it again later. If it is refused again, call the laboratory.';
const OPERATOR = 'Tell the operator.';

type Reason = readonly [words: string, todo: string];

const REASONS: Readonly<Record<string, Reason>> = {
  cr: ['The laboratory did not store it, or cancelled the order', 'Ask which it was: send it again, or give up.'],
  uc: ['The laboratory cannot cancel the order', CALL],
  ud: ['The laboratory cannot discontinue the order', CALL],
  no_answer: ['The laboratory never answered', ASK],
  closed: ['The laboratory closed the connection', ASK],
  not_mllp: ['The laboratory answered with something else', ASK],
  too_many_frames: ['The laboratory answered with too much', ASK],
  not_configured: ['There is no address for orders', OPERATOR],
  patient_missing: ['Data of the patient is missing', FIX],
  markers_missing: ['The tests of the order are missing', OPERATOR],
  account_missing: ['The account at the laboratory is missing', OPERATOR],
  insurance_missing: ['The insurance is missing', FIX],
  internal_error: ['The service had a fault with this order', OPERATOR],
  team_gone: ['The team of the order does not exist', OPERATOR],
};

/** Answers about the message (MSA-1), some with the code of what is wrong (ERR-3): `ae_101`. */
const OF_MESSAGE = /^(ae|ar|ce|cr)(?:_(.+))?$/;
/** Answers about the order (ORC-1). */
const OF_ORDER = new Set(['ua', 'oc', 'od', 'dc', 'ca', 'de', 'ux', 'er']);

/** What is wrong with a message, by the codes of ERR-3 (HL7 table 0357). */
const ERRORS: Readonly<Record<string, string>> = {
  100: 'its segments are in the wrong order',
  101: 'a required field is missing',
  102: 'a field has the wrong type of data',
  103: 'it does not know a code or value',
  200: 'it does not take this type of message',
  201: 'it does not take this event',
  202: 'it does not take this processing id',
  203: 'it does not take this version of HL7',
  204: 'it does not know a number',
  205: 'it knows a number already',
  206: 'its record is locked',
  207: 'its program had an error',
};

const errorInWords = (error: string): string =>
  Object.hasOwn(ERRORS, error) ? `: ${ERRORS[error]} (error ${error})` : `, error ${error}`;

function reasonOf(code: string): Reason | null {
  if (Object.hasOwn(REASONS, code)) return REASONS[code] as Reason;
  const [, answer, error] = OF_MESSAGE.exec(code) ?? [];
  if (answer !== undefined) {
    const detail = error === undefined ? '' : errorInWords(error);
    // A field is not at fault if the program of the laboratory is, or another record.
    return [
      `The laboratory answered ${answer.toUpperCase()}${detail}`,
      error === '206' || error === '207' ? LATER : FIX,
    ];
  }
  if (OF_ORDER.has(code)) return [`The laboratory will not do the order (${code.toUpperCase()})`, CALL];
  return code.endsWith('_too_long') ? [`${inWords(code)} for this laboratory`, FIX] : null;
}

export const refusalInWords = (code: string): string => reasonOf(code)?.[0] ?? inWords(code);
export const refusalTodo = (code: string): string | null => reasonOf(code)?.[1] ?? null;
