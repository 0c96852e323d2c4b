import type { DeferredEvent } from '../../events/deferred-events.ts';
import type { FeedPosition } from './cursor.ts';
import type { FoundEvent } from './find-events.ts';

/** The limits of one page of the feed. */
export type Most = {
  events: number;
  /**
   * The most bytes of all bodies together. The limit applies to the stored bodies, and again to the decrypted bodies. A
   * body has up to 256 KiB. A page has at least one event, even if its body is larger than the limit.
   */
  bytes: number;
};

export type Cut = {
  shown: FoundEvent[];
  /** Events that the page skips, because their users are scheduled for deletion. */
  deferred: DeferredEvent[];
  /** The last event that the page shows or skips. Null if there is none. */
  last: FeedPosition | null;
  /** True if the page ends before the last of the found events. */
  isCut: boolean;
};

/** Chooses the events of one page from the found events. It keeps their order and stops at the limits of the page. */
export function cutPage(found: FoundEvent[], most: Most): Cut {
  const cut: Cut = { shown: [], deferred: [], last: null, isCut: false };
  let bytes = 0;
  for (const event of found) {
    const isShown = event.is_wanted && !event.is_deferred;
    const isFull = cut.shown.length === most.events || (cut.shown.length > 0 && bytes + event.bytes > most.bytes);
    if (isShown && isFull) return { ...cut, isCut: true };
    if (isShown) {
      cut.shown.push(event);
      bytes += event.bytes;
    } else if (event.is_wanted && event.is_deferred)
      cut.deferred.push({ id: event.id, user_id: event.user_id as string });
    cut.last = event;
  }
  return cut;
}
