// Each class of background work has places of its own in a process. What waits for a provider or a laboratory may wait for
// minutes, and what computes does so for seconds: neither keeps other classes waiting, nor other organisations of its class.
import type { JobClass } from '../db/define-job.ts';

const PLACES: Record<JobClass, number> = { work: 3, calls: 4, queries: 3, pulls: 3, erasures: 2 };
/** Of a class, for one owner. An organisation has all but one: another always finds one, unless several hold all. */
const OF_AN_OWNER = 2;
/** What the clock asks for has no class: each minute a few jobs that end at once, and the queues of files. */
const BY_THE_CLOCK = 4;

/** Jobs that one process does at a time: as many as all classes have places, so that a free place is never waited for. */
export const SLOTS = Object.values(PLACES).reduce((all, places) => all + places, BY_THE_CLOCK);

export type Places = {
  /** False where the class of these flags, or their owner, has no place now. */
  take: (flags: string[]) => boolean;
  leave: (flags: string[]) => void;
  /** Flags of jobs that there is no place for now: the queue leaves them where they are. */
  taken: () => string[];
};

/** How many jobs with this flag may be under way. */
function mostOf(flag: string): number {
  const [of, , owner] = flag.split(' ') as [string, string?, string?];
  const places = Object.hasOwn(PLACES, of) ? PLACES[of as JobClass] : Infinity;
  if (owner === undefined) return places;
  return owner === 'organisation' ? places - 1 : Math.min(OF_AN_OWNER, places - 1);
}

export function openPlaces(): Places {
  const underWay = new Map<string, number>();
  const isTaken = (flag: string): boolean => (underWay.get(flag) ?? 0) >= mostOf(flag);
  return {
    taken: () => [...underWay.keys()].filter(isTaken),
    take(flags) {
      if (flags.some(isTaken)) return false;
      for (const flag of flags) underWay.set(flag, (underWay.get(flag) ?? 0) + 1);
      return true;
    },
    leave(flags) {
      for (const flag of flags) {
        const others = (underWay.get(flag) ?? 1) - 1;
        if (others > 0) underWay.set(flag, others);
        else underWay.delete(flag);
      }
    },
  };
}
