import type { Held } from '../../events/held.ts';
import type { Place } from './cursor.ts';
import type { Found } from './find-events.ts';

/** Most of a page as it is stored, and as it is told; a body has up to 256 KiB. */
export const MOST_PAGE_BYTES = 4 * 1024 * 1024;

export type Cut = {
  shown: Found[];
  /** Passed by, because of their users. */
  held: Held[];
  /** The last one that was shown or passed by; null where there is none. */
  last: Place | null;
  /** Whether it ends before the last one that was found. */
  isCut: boolean;
};

/** What of the events found makes a page, in their order. */
export function cutPage(found: Found[], limit: number): Cut {
  const cut: Cut = { shown: [], held: [], last: null, isCut: false };
  let bytes = 0;
  for (const event of found) {
    const isShown = event.is_wanted && !event.is_held;
    const isFull = cut.shown.length === limit || (cut.shown.length > 0 && bytes + event.bytes > MOST_PAGE_BYTES);
    if (isShown && isFull) return { ...cut, isCut: true };
    if (isShown) {
      cut.shown.push(event);
      bytes += event.bytes;
    } else if (event.is_wanted && event.is_held) cut.held.push({ id: event.id, user_id: event.user_id as string });
    cut.last = event;
  }
  return cut;
}
