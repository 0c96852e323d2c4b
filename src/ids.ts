import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

// Random bytes for many ids at a time: asking the system for each id's own takes five times as long as all the rest of it.
const ID_BYTES = 16;
const pool = Buffer.alloc(256 * ID_BYTES);
let used = pool.length;
let msecs = 0;
let seq = 0;

/** A UUID v7: ids made by one process only grow, so new rows go to the end of every index. */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.subarray(used, (used += ID_BYTES));
  const now = Date.now();
  if (now > msecs) {
    msecs = now;
    seq = random.readInt32BE(6) & 0x7f_ff_ff_ff;
  } else {
    // RFC 9562, 6.2: a counter within the millisecond, which borrows from the next one where it overflows.
    seq = (seq + 1) | 0;
    if (seq === 0) msecs += 1;
  }
  return v7({ msecs, seq, random });
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text has the form of an id, of whatever version and in whatever case: what PostgreSQL takes as a uuid. */
export const isUuid = (text: string): boolean => UUID.test(text);

/** The least UUID v7 of a millisecond: below every id that was made at it. */
export function leastIdAt(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** Below every id: where whoever goes through all of them begins. */
export const LEAST_ID = leastIdAt(0);

/** When a UUID v7 was made, in milliseconds. */
export const madeAt = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
