import type { StoredInsurance } from '../../../../insurance/find-latest.ts';
import { printable, printableAscii } from '../../../../wire/printable.ts';
import type { LoadedOrder } from '../../../orders/load.ts';
import { USUAL_LENGTHS, type LengthName, type Settings } from '../connections/settings.ts';

/** What the laboratory could not take is found before it is sent. */
export class OrderNotSendable extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`The order cannot be sent: ${code}.`);
    this.code = code;
  }
}

export type OrderToSend = {
  order: LoadedOrder;
  kind: 'new' | 'cancel';
  /** Which of its tests, counted from 1; null: all of them. */
  tests: number[] | null;
  number: string;
  /** Short, for fields that hold 15 characters. */
  patientNumber: string;
  accountNumber: string;
  insurance: StoredInsurance | null;
  controlId: string;
  /** When the order became ready, or was cancelled. */
  askedAt: string;
  sentAt: string;
};

export type Writer = {
  text: (text: string | null | undefined) => string;
  limited: (name: LengthName, text: string | null | undefined) => string;
};

/** Everything that is written passes the allow-list, and the bounds of the laboratory. */
export function writerOf({ charset = 'UTF-8', lengths = {} }: Settings): Writer {
  const inLatin = (text: string): string =>
    [...printable(text)].map((letter) => (letter <= '\u00FF' ? letter : printableAscii(letter))).join('');
  const allowed = { 'UTF-8': printable, 'ISO-8859-1': inLatin, ASCII: printableAscii }[charset];
  const text = (value: string | null | undefined): string => allowed(value ?? '');
  const limited = (name: LengthName, value: string | null | undefined): string => {
    // Notes alone may have lines, which the codec writes as `\.br\`.
    const written = name === 'clinical_notes' ? (value ?? '').split('\n').map(text).join('\n') : text(value);
    const most = lengths[name] ?? USUAL_LENGTHS[name];
    if ([...written].length > most) throw new OrderNotSendable(`${name}_too_long`);
    return written;
  };
  return { text, limited };
}

/** Where the account stands in orders. */
export const accountFieldOf = ({ orders }: Settings): string => orders.account_field ?? 'MSH-4';
