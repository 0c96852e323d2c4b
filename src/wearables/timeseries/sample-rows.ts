// Samples as parameters of SQL statements.
import { float8Array, int4Array, int8Array, jsonbArray, timestamptzArray } from '../../db/session/binary-array.ts';
import type { Sample } from './sample.ts';

export type Row = { stream_id: number; sample: Sample; extra: string | null };

/** Returns a key that identifies a sample: its stream and its time. */
export const keyOf = ({ stream_id, sample }: { stream_id: number; sample: Pick<Sample, 'at'> }): string =>
  `${stream_id} ${sample.at}`;

/**
 * Returns the first time, the last time and the number of rows of each stream. The rows must be sorted by stream and
 * time.
 */
export function spansOf(rows: Row[]): { id: number; first: string; last: string; many: number }[] {
  const spans: { id: number; first: string; last: string; many: number }[] = [];
  for (const { stream_id: id, sample } of rows) {
    const span = spans.at(-1);
    if (span?.id === id) {
      span.last = sample.at;
      span.many += 1;
    } else spans.push({ id, first: sample.at, last: sample.at, many: 1 });
  }
  return spans;
}

/**
 * Returns the columns of the rows as arrays for `unnest`. A column that has only nulls is sent as an empty array,
 * because `unnest` fills shorter arrays with nulls.
 */
export function columnsOf(rows: Row[]) {
  return {
    stream_ids: int8Array(rows.map(({ stream_id }) => stream_id)),
    ats: timestamptzArray(rows.map(({ sample }) => sample.at)),
    values: float8Array(rows.map(({ sample }) => sample.value)),
    durations: int4Array(sparse(rows.map(({ sample }) => sample.duration_ms))),
    offsets: int4Array(sparse(rows.map(({ sample }) => sample.timezone_offset))),
    extras: jsonbArray(sparse(rows.map(({ extra }) => extra))),
  };
}

const sparse = <T>(items: (T | null)[]): (T | null)[] => (items.some((item) => item !== null) ? items : []);
