// How far a reader has come. It says of every transaction, those under way included, whether its events were given: nothing
// is skipped, and nothing waits for a transaction that takes long.
import { decodeCursor, encodeCursor } from '../../db/page.ts';
import { isUuid } from '../../ids.ts';

/** Which transactions were over, by the positions of their events: those below `until` but for the ones still running. */
export type Snapshot = { until: number; running: number[] };

/** Of an event in its feed. */
export type Place = { position: number; id: string };

export type Cursor = {
  /** Everything in it was given. */
  seen: Snapshot;
  /** What is given page by page: what is over by then and is not `seen`, up to a place. Null where all of it was given. */
  reading: { upTo: Snapshot; after: Place } | null;
  /** The moment, in seconds since 1970, from which on events are still to be given. */
  from: number;
};

/**
 * Most transactions under way that a snapshot names. Of more, it ends before the next one: what comes after that is given
 * a little later.
 */
export const MOST_RUNNING = 128;

/** The longest cursor, in characters: two snapshots of as many transactions as they name, each of 16 digits. */
export const LONGEST_CURSOR = 6_000;

export const FROM_THE_OLDEST: Cursor = { seen: { until: 0, running: [] }, reading: null, from: 0 };

type Written = [from: number, seen: number[], upTo?: number[], position?: number, id?: string];

/** Transactions that run are told by how far they are below the end: a few digits each. */
const written = ({ until, running }: Snapshot): number[] => [until, ...running.map((each) => until - each)];

const read = ([until = 0, ...below]: number[]): Snapshot => ({ until, running: below.map((each) => until - each) });

export const writeCursor = ({ seen, reading, from }: Cursor): string =>
  encodeCursor([
    Math.floor(from),
    written(seen),
    ...(reading ? [written(reading.upTo), reading.after.position, reading.after.id] : []),
  ] satisfies unknown[] as Written);

/** Throws invalid_cursor for what no page of the feed gave out. */
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

function isWritten(value: unknown): value is Written {
  if (!Array.isArray(value) || !isWhole(value[0]) || !isSnapshot(value[1])) return false;
  if (value.length === 2) return true;
  return (
    value.length === 5 && isSnapshot(value[2]) && isWhole(value[3]) && typeof value[4] === 'string' && isUuid(value[4])
  );
}
