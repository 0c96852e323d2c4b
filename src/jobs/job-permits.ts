// Each class of background jobs has its own permits in a process. A job that waits for a provider or a laboratory can
// take minutes, and a job that computes can take seconds. Such jobs must not delay other classes, or other
// organisations of the same class.
import type { JobClass } from '../db/define-job.ts';

const PERMITS: Record<JobClass, number> = { work: 3, calls: 4, queries: 3, pulls: 3, erasures: 2 };
/**
 * The most permits of one owner in a class. An organisation can have all permits but one. So another organisation finds
 * a permit, unless several organisations together use all.
 */
const OF_AN_OWNER = 2;
/**
 * Permits for scheduled jobs and for the queues of files. Scheduled jobs have no class, because there are only a few
 * each minute and each takes a short time.
 */
const BY_THE_CLOCK = 4;

/**
 * How many jobs one process can run at the same time. It is the sum of all permits, so a job with a permit can always
 * run.
 */
export const MAX_JOBS = Object.values(PERMITS).reduce((all, permits) => all + permits, BY_THE_CLOCK);

export type JobPermits = {
  /**
   * Takes a permit for a job. Its flags name its class, and its owner and organisation in this class. Returns false if
   * one of these has no free permit.
   */
  take: (flags: string[]) => boolean;
  leave: (flags: string[]) => void;
  /** Returns the flags of jobs that have no free permit. The queue does not take these jobs. */
  taken: () => string[];
};

/** Returns the most jobs with this flag that may run at the same time. */
function maxOf(flag: string): number {
  const [of, , owner] = flag.split(' ') as [string, string?, string?];
  const permits = Object.hasOwn(PERMITS, of) ? PERMITS[of as JobClass] : Infinity;
  if (owner === undefined) return permits;
  return owner === 'organisation' ? permits - 1 : Math.min(OF_AN_OWNER, permits - 1);
}

export function openJobPermits(): JobPermits {
  const underWay = new Map<string, number>();
  const isTaken = (flag: string): boolean => (underWay.get(flag) ?? 0) >= maxOf(flag);
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
