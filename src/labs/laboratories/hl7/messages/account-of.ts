import { segmentOf, textAt, type Message } from '@phial/hl7/message';
import type { Settings } from '../connections/connection-settings.ts';

/** Returns the account in a laboratory's message; an empty text if the message names none. */
export function accountOf(message: Message, { orders }: Settings): string {
  switch (orders.account_field) {
    case 'PID-18':
      return textAt(segmentOf(message, 'PID'), 18);
    case 'ORC-21':
      return textAt(segmentOf(message, 'ORC'), 21, { component: 10 });
    default:
      return textAt(segmentOf(message, 'MSH'), 6);
  }
}
