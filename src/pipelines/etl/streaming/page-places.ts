import { RoundRobin, type Owner } from '../../../fair/round-robin.ts';
import { Threshold } from '../../../fair/threshold.ts';

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

type Asker = { holds: boolean; waits: boolean; wake: (() => void) | null };

/**
 * Shares the memory for pages out among organisations, in turn: a broker that confirms slowly, or all of them when one comes back,
 * makes pipelines of its organisation wait for each other, and none of another. A pipeline holds one page, so a team no more.
 */
export class PagePlaces {
  readonly #places: Threshold;
  readonly #waiting = new RoundRobin<Asker>();

  constructor(most = MOST_PAGES) {
    this.#places = new Threshold(most);
  }

  /** A pipeline's place, which it takes for each page. */
  of(owner: Owner): PagePlace {
    const asker: Asker = { holds: false, waits: false, wake: null };
    return {
      take: async (ms, signal) => {
        if (!asker.holds && !asker.waits) this.#waiting.add(owner, asker);
        asker.waits = !asker.holds;
        this.#serve();
        if (!asker.holds) await untilServed(asker, ms, signal);
        return asker.holds;
      },
      giveBack: () => {
        if (asker.waits) this.#waiting.remove(owner, asker);
        asker.waits = false;
        if (!asker.holds) return;
        asker.holds = false;
        this.#places.giveBack(ofOrg(owner));
        this.#serve();
      },
    };
  }

  #serve(): void {
    const hasRoom = (owner: Owner): boolean => this.#places.roomFor(ofOrg(owner)) > 0;
    const may = { org: () => true, team: hasRoom };
    for (let turn = this.#waiting.next(may); turn; turn = this.#waiting.next(may)) {
      this.#places.take(ofOrg(turn.owner));
      turn.item.waits = false;
      turn.item.holds = true;
      turn.item.wake?.();
    }
  }
}

/** A team holds one page at most: they are shared out among organisations alone. */
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
