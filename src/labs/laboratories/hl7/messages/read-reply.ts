import { readAcknowledgment, type AckCode } from '@phial/hl7/acknowledgment';
import { textAt, type Message } from '@phial/hl7/message';
import { readOrderNumber } from './order-number.ts';

/**
 * A laboratory's update about one test or an entire order. In the message this is an ORC (order control) with the OBR
 * (test) after it.
 */
export type OrderUpdate = {
  /** ORC-1, the order control: what the sender does with the order (HL7 table 0119). */
  control: string;
  /** ORC-5, the status of the order (HL7 table 0038); empty if it is missing. */
  status: string;
  placer: string;
  filler: string;
  /**
   * The position of the test in the order, from 1; null if the number names the entire order or is not one of our
   * numbers.
   */
  position: number | null;
};

/**
 * The reply to one of our messages. An ACK is about the entire message. An ORL or ORR also has an update for each test.
 */
export type Reply = {
  code: AckCode;
  /**
   * True if the laboratory has only stored the message and will report the outcome later (a commit code such as CA).
   */
  isCommit: boolean;
  /**
   * A code of HL7 table 0357; null if there is none. We never take a free text of the laboratory as the reason, because
   * it may name a patient.
   */
  reason: string | null;
  orders: OrderUpdate[];
};

/** Reads a reply. Returns null if the message is not a readable reply. */
export function readReply(message: Message): (Reply & { controlId: string }) | null {
  const acknowledgment = readAcknowledgment(message);
  if (acknowledgment === null) return null;
  const { condition, ...rest } = acknowledgment;
  return { ...rest, reason: condition, orders: readOrderUpdates(message) };
}

/** Reads every ORC of a message. If an ORC lacks a number, we read the number from the OBR after it. */
export function readOrderUpdates(message: Message): OrderUpdate[] {
  const updates: OrderUpdate[] = [];
  for (const segment of message) {
    const last = updates.at(-1);
    if (segment.name === 'ORC') {
      const placer = textAt(segment, 2);
      updates.push({
        control: textAt(segment, 1).toUpperCase(),
        status: textAt(segment, 5).toUpperCase(),
        placer,
        filler: textAt(segment, 3),
        position: positionOf(placer),
      });
    } else if (segment.name === 'OBR' && last) {
      last.placer ||= textAt(segment, 2);
      last.filler ||= textAt(segment, 3);
      last.position ??= positionOf(textAt(segment, 2));
    }
  }
  return updates;
}

const positionOf = (number: string): number | null => readOrderNumber(number)?.position ?? null;

type Action = 'new' | 'cancel';

/** Codes of ORC-1 with which a laboratory refuses an order or a cancellation (HL7 table 0119). */
const REFUSES: Readonly<Record<Action, ReadonlySet<string>>> = {
  new: new Set(['UA', 'OC', 'OD', 'CR', 'DC', 'CA', 'DE', 'UX']),
  cancel: new Set(['UC', 'UD', 'UA', 'DE', 'UX']),
};
const TAKES: Readonly<Record<Action, ReadonlySet<string>>> = {
  new: new Set(['OK', 'OF']),
  cancel: new Set(['OK', 'CR', 'DR', 'OC', 'OD']),
};

/** In ORC-5 this code means that the laboratory does not know the order. */
const NOT_FOUND = 'ER';

/** Returns the code of a refusal in lower case, or null if the update is not a refusal. */
export function refusalOf({ control, status }: OrderUpdate, action: Action): string | null {
  if (REFUSES[action].has(control)) return control.toLowerCase();
  return status === NOT_FOUND ? NOT_FOUND.toLowerCase() : null;
}

/**
 * Returns whether ORC-1 is a code that neither refuses nor accepts. Then MSA-1, the acknowledgment of the entire
 * message, decides.
 */
export const isUnknown = (update: OrderUpdate, action: Action): boolean =>
  update.control !== '' && refusalOf(update, action) === null && !isTaken(update, action);

export const isTaken = ({ control }: OrderUpdate, action: Action): boolean => TAKES[action].has(control);
