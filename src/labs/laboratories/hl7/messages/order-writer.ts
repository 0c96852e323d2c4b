import type { StoredInsurance } from '../../../../insurance/find-latest.ts';
import { printable, printableAscii } from '../../../../wire/printable.ts';
import type { LoadedOrder } from '../../../orders/load-order.ts';
import { USUAL_LENGTHS, type LengthName, type Settings } from '../connections/connection-settings.ts';

/** Thrown before we send an order, if the laboratory could not accept it. */
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
  /** The positions of the tests to send, from 1. Null means all tests. */
  tests: number[] | null;
  number: string;
  /** The short number, for fields that hold 15 characters. */
  patientNumber: string;
  accountNumber: string;
  insurance: StoredInsurance | null;
  controlId: string;
  /** The time when the order became ready, or was cancelled. */
  askedAt: string;
  sentAt: string;
};

export type Writer = {
  text: (text: string | null | undefined) => string;
  limited: (name: LengthName, text: string | null | undefined) => string;
};

/**
 * Returns a writer for the texts of an order. It replaces characters that the laboratory's character set lacks, and
 * refuses a text that is longer than the laboratory allows.
 */
export function writerOf({ charset = 'UTF-8', lengths = {} }: Settings): Writer {
  const inLatin = (text: string): string =>
    [...printable(text)].map((letter) => (letter <= '\u00FF' ? letter : printableAscii(letter))).join('');
  const allowed = { 'UTF-8': printable, 'ISO-8859-1': inLatin, ASCII: printableAscii }[charset];
  const text = (value: string | null | undefined): string => allowed(value ?? '');
  const limited = (name: LengthName, value: string | null | undefined): string => {
    // Only notes may have several lines. `write` escapes the line ends as `\.br\`.
    const written = name === 'clinical_notes' ? (value ?? '').split('\n').map(text).join('\n') : text(value);
    const most = lengths[name] ?? USUAL_LENGTHS[name];
    if ([...written].length > most) throw new OrderNotSendable(`${name}_too_long`);
    return written;
  };
  return { text, limited };
}

/** Returns the field in which the laboratory expects the account. */
export const accountFieldOf = ({ orders }: Settings): string => orders.account_field ?? 'MSH-4';
