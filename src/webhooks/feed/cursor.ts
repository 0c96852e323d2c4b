// The position of a reader in the change feed. For every transaction, also for one that is running, the cursor says
// whether the reader has its events. So the feed skips no event, and need not wait for long transactions.
import { decodeCursor, encodeCursor } from '../../db/cursor.ts';
import { isUuid } from '../../ids.ts';

/**
 * A set of ended transactions: all with a position below `until`, except those in `running`, which had not ended. The
 * position of a transaction is that of its events.
 */
export type Snapshot = { until: number; running: number[] };

/** The position of an event in the feed of its team: the position of its transaction, and its id. */
export type FeedPosition = { position: number; id: string };

export type Cursor = {
  /** The reader has every event of these transactions. */
  seen: Snapshot;
  /**
   * The range that the reader is reading page by page: the events of transactions that are in `upTo` and not in `seen`.
   * The next page begins after `after`. Null between two ranges.
   */
  reading: { upTo: Snapshot; after: FeedPosition } | null;
  /**
   * The reader has all events from before this time, in seconds since 1970. If retention may have deleted events after
   * it, the cursor has expired. 0 means the start of the feed and never expires.
   */
  from: number;
};

/**
 * The most running transactions in a snapshot. If there are more, the snapshot ends before the next one, and the reader
 * gets later events from a later snapshot.
 */
export const MAX_RUNNING = 128;

/** The most characters of a cursor. Two snapshots fit, each with MAX_RUNNING transactions of 16 digits. */
export const LONGEST_CURSOR = 6_000;

/** A reader begins after a cursor, with the events since a time (milliseconds since 1970), or with new ones (null). */
export type FeedStart = Cursor | { since: number } | null;

export const FROM_THE_OLDEST: Cursor = { seen: { until: 0, running: [] }, reading: null, from: 0 };

type WrittenCursor = [from: number, seen: number[], upTo?: number[], position?: number, id?: string];

/**
 * Writes a snapshot as numbers. Each running transaction is written as its distance from `until`, which has few digits.
 */
const written = ({ until, running }: Snapshot): number[] => [until, ...running.map((each) => until - each)];

const read = ([until = 0, ...below]: number[]): Snapshot => ({ until, running: below.map((each) => until - each) });

export const writeCursor = ({ seen, reading, from }: Cursor): string =>
  encodeCursor([
    Math.floor(from),
    written(seen),
    ...(reading ? [written(reading.upTo), reading.after.position, reading.after.id] : []),
  ] satisfies unknown[] as WrittenCursor);

/** Decodes a cursor. Throws invalid_cursor if the text is not a cursor of the feed. */
export function readCursor(text: string): Cursor {
  const [from, seen, upTo, position, id] = decodeCursor(text, isWritten, 'after');
  const reading =
    upTo && position !== undefined && id !== undefined ? { upTo: read(upTo), after: { position, id } } : null;
  return { seen: read(seen), reading, from };
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const isSnapshot = (value: unknown): value is number[] =>
  Array.isArray(value) &&
  value.length >= 1 &&
  value.length <= MAX_RUNNING + 1 &&
  value.every((each) => isWhole(each) && each <= value[0]);

function isWritten(value: unknown): value is WrittenCursor {
  if (!Array.isArray(value) || !isWhole(value[0]) || !isSnapshot(value[1])) return false;
  if (value.length === 2) return true;
  return (
    value.length === 5 && isSnapshot(value[2]) && isWhole(value[3]) && typeof value[4] === 'string' && isUuid(value[4])
  );
}
