import { readAcknowledgment, type AckCode } from '@phial/hl7/acknowledgment';
import { textAt, type Message } from '@phial/hl7/message';
import { readOrderNumber } from './order-number.ts';

/** What a laboratory says of one test, or of the whole order: an ORC with the OBR behind it. */
export type OrderNews = {
  /** ORC-1 (HL7 table 0119). */
  control: string;
  /** ORC-5 (HL7 table 0038); empty where it says none. */
  status: string;
  placer: string;
  filler: string;
  /** Which test of the order, from 1; null where the number names the order, or there is none of ours. */
  place: number | null;
};

/** The answer to a message of ours: an ACK, or an ORL or ORR, which says it for each test. */
export type Reply = {
  code: AckCode;
  /** By a commit code: the message is kept, and what becomes of it is not said yet. */
  isCommit: boolean;
  /** A code of HL7 table 0357, where it tells one; never the laboratory's words, which may name a patient. */
  reason: string | null;
  orders: OrderNews[];
};

/** Null where the message is no answer that can be read. */
export function readReply(message: Message): (Reply & { controlId: string }) | null {
  const acknowledgment = readAcknowledgment(message);
  if (acknowledgment === null) return null;
  const { condition, ...rest } = acknowledgment;
  return { ...rest, reason: condition, orders: readOrderNews(message) };
}

/** Every ORC of a message, with the numbers of the OBR behind it where it has none of its own. */
export function readOrderNews(message: Message): OrderNews[] {
  const news: OrderNews[] = [];
  for (const segment of message) {
    const last = news.at(-1);
    if (segment.name === 'ORC') {
      const placer = textAt(segment, 2);
      news.push({
        control: textAt(segment, 1).toUpperCase(),
        status: textAt(segment, 5).toUpperCase(),
        placer,
        filler: textAt(segment, 3),
        place: placeOf(placer),
      });
    } else if (segment.name === 'OBR' && last) {
      last.placer ||= textAt(segment, 2);
      last.filler ||= textAt(segment, 3);
      last.place ??= placeOf(textAt(segment, 2));
    }
  }
  return news;
}

const placeOf = (number: string): number | null => readOrderNumber(number)?.place ?? null;

type Action = 'new' | 'cancel';

/** Codes of ORC-1 by which a laboratory refuses, as answers to an order and to a cancellation (HL7 table 0119). */
const REFUSES: Readonly<Record<Action, ReadonlySet<string>>> = {
  new: new Set(['UA', 'OC', 'OD', 'CR', 'DC', 'CA', 'DE', 'UX']),
  cancel: new Set(['UC', 'UD', 'UA', 'DE', 'UX']),
};
const TAKES: Readonly<Record<Action, ReadonlySet<string>>> = {
  new: new Set(['OK', 'OF']),
  cancel: new Set(['OK', 'CR', 'DR', 'OC', 'OD']),
};

/** ORC-5: the laboratory does not know the order. */
const NOT_FOUND = 'ER';

/** The code of a refusal in lower case; null where this is none. */
export function refusalOf({ control, status }: OrderNews, action: Action): string | null {
  if (REFUSES[action].has(control)) return control.toLowerCase();
  return status === NOT_FOUND ? NOT_FOUND.toLowerCase() : null;
}

/** A code that is neither, which MSA-1 then decides. */
export const isUnknown = (news: OrderNews, action: Action): boolean =>
  news.control !== '' && refusalOf(news, action) === null && !isTaken(news, action);

export const isTaken = ({ control }: OrderNews, action: Action): boolean => TAKES[action].has(control);
