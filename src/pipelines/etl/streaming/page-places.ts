import { Shares } from '../../../outbound/shares.ts';

/** Events that are held until a broker has confirmed them, by one pipeline. */
export const PAGE = { events: 200, bytes: 512 * 1024 };
/** That pipelines of one process hold at a time: 32 MiB. */
const MOST_PAGES = 64;

export type PagePlace = {
  /** False where there was none within `ms`, or `signal` was aborted; it then keeps its turn. */
  take: (ms: number, signal: AbortSignal) => Promise<boolean>;
  /** Also its turn. */
  giveBack: () => void;
};

type Asker = { orgId: string; holds: boolean; wake: (() => void) | null };

/**
 * Shares the memory for pages out among organisations: a broker that confirms slowly, or all of them when one comes back, makes
 * pipelines of its organisation wait for each other, and none of another. A pipeline holds one page, so a team no more.
 */
export class PagePlaces {
  readonly #shares: Shares;
  /** In the order in which they asked. */
  readonly #waiting = new Set<Asker>();

  constructor(most = MOST_PAGES) {
    this.#shares = new Shares(most);
  }

  /** A pipeline's place, which it takes for each page. */
  of(orgId: string): PagePlace {
    const asker: Asker = { orgId, holds: false, wake: null };
    return {
      take: async (ms, signal) => {
        if (!asker.holds) this.#waiting.add(asker);
        this.#serve();
        if (!asker.holds) await untilServed(asker, ms, signal);
        return asker.holds;
      },
      giveBack: () => {
        this.#waiting.delete(asker);
        if (!asker.holds) return;
        asker.holds = false;
        this.#shares.giveBack(orgId);
        this.#serve();
      },
    };
  }

  #serve(): void {
    for (const asker of this.#waiting) {
      if (!this.#shares.take(asker.orgId)) continue;
      this.#waiting.delete(asker);
      asker.holds = true;
      asker.wake?.();
    }
  }
}

async function untilServed(asker: Asker, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      asker.wake = null;
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    asker.wake = done;
  });
}
