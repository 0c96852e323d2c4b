import type { Sample } from './sample.ts';

/** The samples of one stream. There is one sample for each time: the last one that was set. */
export type SamplesByTime = {
  set: (sample: Sample) => void;
  delete: (at: string) => void;
  isEmpty: () => boolean;
  /** Returns the samples, the oldest first. */
  list: () => Sample[];
};

/**
 * Returns an empty collection. Most senders send samples in the order of time, and each time only once. Only for other
 * senders it makes a map of the times.
 */
export function samplesByTime(): SamplesByTime {
  const ordered: Sample[] = [];
  let byTime: Map<string, Sample> | null = null;
  const isBehindAll = (at: string): boolean => {
    const last = ordered.at(-1);
    return last === undefined || last.at < at;
  };
  const mapped = (): Map<string, Sample> => (byTime ??= new Map(ordered.map((sample) => [sample.at, sample])));
  return {
    set: (sample) => {
      if (byTime === null && isBehindAll(sample.at)) ordered.push(sample);
      else mapped().set(sample.at, sample);
    },
    delete: (at) => {
      if (byTime !== null || !isBehindAll(at)) mapped().delete(at);
    },
    isEmpty: () => (byTime ? byTime.size : ordered.length) === 0,
    list: () => (byTime ? [...byTime.values()].sort((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at))) : ordered),
  };
}
