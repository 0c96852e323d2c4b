import { RoundRobin, type Owner } from '../../../fair/round-robin.ts';
import { Threshold } from '../../../fair/threshold.ts';

/** The most events and bytes of a page. A pipeline has one page in memory until the broker has confirmed its events. */
export const PAGE = { events: 200, bytes: 512 * 1024 };
/** The most pages in memory of all pipelines of a process: 32 MiB. */
const MAX_PAGES = 64;

export type PagePermit = {
  /**
   * Waits for the permit. Returns false if there was none within `ms`, or if `signal` was aborted. The position in the
   * queue stays.
   */
  take: (ms: number, signal: AbortSignal) => Promise<boolean>;
  /** Returns the permit. If it was not taken yet, gives up the position in the queue. */
  release: () => void;
};

type Asker = { hasPermit: boolean; waits: boolean; wake: (() => void) | null };

/**
 * Permits for the memory of pages, which organisations get in round robin. If a broker confirms slowly, or if many
 * pipelines start at once, the pipelines of one organisation wait for each other and do not delay other organisations.
 * A team has at most one pipeline, and a pipeline at most one page.
 */
export class PagePermits {
  readonly #permits: Threshold;
  readonly #waiting = new RoundRobin<Asker>();

  constructor(most = MAX_PAGES) {
    this.#permits = new Threshold(most);
  }

  /** Returns the permit of a pipeline, to take before each page and to release after it. */
  of(owner: Owner): PagePermit {
    const asker: Asker = { hasPermit: false, waits: false, wake: null };
    return {
      take: async (ms, signal) => {
        if (!asker.hasPermit && !asker.waits) this.#waiting.add(owner, asker);
        asker.waits = !asker.hasPermit;
        this.#serve();
        if (!asker.hasPermit) await untilServed(asker, ms, signal);
        return asker.hasPermit;
      },
      release: () => {
        if (asker.waits) this.#waiting.remove(owner, asker);
        asker.waits = false;
        if (!asker.hasPermit) return;
        asker.hasPermit = false;
        this.#permits.release(ofOrg(owner));
        this.#serve();
      },
    };
  }

  #serve(): void {
    const hasFreePermit = (owner: Owner): boolean => this.#permits.capacityFor(ofOrg(owner)) > 0;
    const may = { org: () => true, team: hasFreePermit };
    for (let next = this.#waiting.next(may); next; next = this.#waiting.next(may)) {
      this.#permits.take(ofOrg(next.owner));
      next.item.waits = false;
      next.item.hasPermit = true;
      next.item.wake?.();
    }
  }
}

/** A team has at most one page, so permits are shared only between organisations. */
const ofOrg = ({ org }: Owner): Owner => ({ org, team: org });

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
