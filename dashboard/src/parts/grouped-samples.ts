// Reads all pages of a series into typed arrays: a year of minutes is half a million samples.
import { useEffect, useState } from 'react';
import { phial, unwrap } from '../api/client.ts';

export type SeriesName = 'heartrate' | 'glucose' | 'steps';
/** The samples of one source, the oldest first. `at` is in seconds since 1970. */
type SourceSamples = { source: string; at: number[]; values: number[] };

type Range = { start: string; end: string };
type Loaded = { sources: SourceSamples[]; isDone: boolean; error: unknown };

const EMPTY: Loaded = { sources: [], isDone: false, error: null };

type Asked = { series: SeriesName; userId: string; range: Range; signal: AbortSignal };

const readPage = ({ series, userId: user_id, range: { start, end }, signal }: Asked, cursor: string | null) =>
  unwrap(
    phial.GET(`/v2/timeseries/{user_id}/${series}/grouped`, {
      params: {
        path: { user_id },
        query: { start_date: start, end_date: end, ...(cursor !== null && { next_cursor: cursor }) },
      },
      signal,
    } as never),
  ) as unknown as Promise<{
    groups: Record<
      string,
      { source: { provider?: string; type?: string }; data: { timestamp: string; value: number }[] }[]
    >;
    next_cursor: string | null;
  }>;

/** Samples are shown again when they have grown by this factor, because all of them are drawn each time. */
const GROWTH = 1.5;

/** Reads a series of a user page by page. What has come is there soon, and grows. */
export function useGroupedSamples(series: SeriesName, userId: string, { start, end }: Range): Loaded {
  const [loaded, setLoaded] = useState<Loaded>(EMPTY);
  useEffect(() => {
    const control = new AbortController();
    setLoaded(EMPTY);
    void readAll({ series, userId, range: { start, end }, signal: control.signal }, setLoaded);
    return () => control.abort();
  }, [series, userId, start, end]);
  return loaded;
}

async function readAll(asked: Asked, show: (loaded: Loaded) => void): Promise<void> {
  const { signal } = asked;
  const bySource = new Map<string, SourceSamples>();
  let cursor: string | null = null;
  let [count, shown] = [0, 0];
  try {
    do {
      const page: Awaited<ReturnType<typeof readPage>> = await readPage(asked, cursor);
      for (const [provider, groups] of Object.entries(page.groups))
        for (const { source, data } of groups) {
          const name = source.type && source.type !== 'unknown' ? `${provider} ${source.type}` : provider;
          const samples = bySource.get(name) ?? { source: name, at: [], values: [] };
          bySource.set(name, samples);
          for (const { timestamp, value } of data) {
            samples.at.push(Date.parse(timestamp) / 1000);
            samples.values.push(value);
          }
          count += data.length;
        }
      cursor = page.next_cursor;
      if (signal.aborted) return;
      if (cursor !== null && count < shown * GROWTH) continue;
      shown = count;
      show({ sources: [...bySource.values()], isDone: cursor === null, error: null });
    } while (cursor !== null);
  } catch (error) {
    if (!signal.aborted) show({ sources: [...bySource.values()], isDone: true, error });
  }
}
