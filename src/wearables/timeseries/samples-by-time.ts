import type { Sample } from './sample.ts';

/** Samples of one stream of which each time has one: the last that was set. */
export type SamplesByTime = {
  set: (sample: Sample) => void;
  delete: (at: string) => void;
  isEmpty: () => boolean;
  /** The oldest first. */
  list: () => Sample[];
};

/** Most senders send samples in their order, once each: a map of their times is only made for the others. */
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
