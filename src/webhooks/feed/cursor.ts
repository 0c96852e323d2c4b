// The position of a reader in the change feed. The cursor states for every transaction whether the reader has received
// its events, also for transactions that are under way. The feed therefore skips no event and need not wait for long
// transactions.
import { decodeCursor, encodeCursor } from '../../db/cursor.ts';
import { isUuid } from '../../ids.ts';

/**
 * A set of ended transactions: all transactions whose position is below `until`, except those in `running`, which were
 * still under way. The position of a transaction is the position of its events.
 */
export type Snapshot = { until: number; running: number[] };

/** The position of an event in the feed of its team: the position of its transaction, and its id. */
export type FeedPosition = { position: number; id: string };

export type Cursor = {
  /** The reader has received every event of these transactions. */
  seen: Snapshot;
  /**
   * The range that the reader is reading page by page: the events of transactions that are in `upTo` but not in `seen`.
   * The next page starts after `after`. Null if the reader has reached the end of a range.
   */
  reading: { upTo: Snapshot; after: FeedPosition } | null;
  /**
   * The reader has received all events from before this time, in seconds since 1970. The cursor has expired if
   * retention may have dropped later events. 0 is the start of the feed and never expires.
   */
  from: number;
};

/**
 * The most transactions under way that a snapshot can list. If there are more, the snapshot ends before the next one,
 * and the reader gets the events after it from a later snapshot.
 */
export const MOST_RUNNING = 128;

/**
 * The most characters of a cursor. That is enough for two snapshots with MOST_RUNNING transactions each and 16 digits
 * for each transaction.
 */
export const LONGEST_CURSOR = 6_000;

export const FROM_THE_OLDEST: Cursor = { seen: { until: 0, running: [] }, reading: null, from: 0 };

type WrittenCursor = [from: number, seen: number[], upTo?: number[], position?: number, id?: string];

/** Encodes a snapshot. Each running transaction is written as its distance from `until`, which has few digits. */
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
  value.length <= MOST_RUNNING + 1 &&
  value.every((each) => isWhole(each) && each <= value[0]);

function isWritten(value: unknown): value is WrittenCursor {
  if (!Array.isArray(value) || !isWhole(value[0]) || !isSnapshot(value[1])) return false;
  if (value.length === 2) return true;
  return (
    value.length === 5 && isSnapshot(value[2]) && isWhole(value[3]) && typeof value[4] === 'string' && isUuid(value[4])
  );
}
