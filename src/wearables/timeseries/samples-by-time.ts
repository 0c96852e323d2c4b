import type { Sample } from './sample.ts';

/** The samples of one stream, one for each time. If a time is set twice, the last sample counts. */
export type SamplesByTime = {
  set: (sample: Sample) => void;
  delete: (at: string) => void;
  isEmpty: () => boolean;
  /** Returns the samples, the oldest first. */
  list: () => Sample[];
};

/**
 * Returns an empty collection. Most senders send samples in the order of time, each time once, and a list is enough for
 * them. A map of times is made only for other senders.
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
