import type { Held } from '../../events/held.ts';
import type { Place } from './cursor.ts';
import type { FoundEvent } from './find-events.ts';

/** How much a page holds. */
export type Most = {
  events: number;
  /** As they are stored, and as they are told; one event is shown however large it is, and a body has up to 256 KiB. */
  bytes: number;
};

export type Cut = {
  shown: FoundEvent[];
  /** Passed by, because of their users. */
  held: Held[];
  /** The last one that was shown or passed by; null where there is none. */
  last: Place | null;
  /** Whether it ends before the last one that was found. */
  isCut: boolean;
};

/** What of the events found makes a page, in their order. */
export function cutPage(found: FoundEvent[], most: Most): Cut {
  const cut: Cut = { shown: [], held: [], last: null, isCut: false };
  let bytes = 0;
  for (const event of found) {
    const isShown = event.is_wanted && !event.is_held;
    const isFull = cut.shown.length === most.events || (cut.shown.length > 0 && bytes + event.bytes > most.bytes);
    if (isShown && isFull) return { ...cut, isCut: true };
    if (isShown) {
      cut.shown.push(event);
      bytes += event.bytes;
    } else if (event.is_wanted && event.is_held) cut.held.push({ id: event.id, user_id: event.user_id as string });
    cut.last = event;
  }
  return cut;
}
