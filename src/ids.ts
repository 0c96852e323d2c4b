import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

// Random bytes for many ids. A call for the random bytes of each id would take five times as long as the rest of the
// work.
const ID_BYTES = 16;
const pool = Buffer.alloc(256 * ID_BYTES);
let used = pool.length;
let msecs = 0;
let seq = 0;

/**
 * Returns a new UUID v7. Each id of a process is greater than the previous one, so new rows go to the end of every
 * index.
 */
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
    // A counter within the millisecond (RFC 9562, 6.2). If it overflows, we use the next millisecond.
    seq = (seq + 1) | 0;
    if (seq === 0) msecs += 1;
  }
  return v7({ msecs, seq, random });
}

/**
 * Returns a new UUID v7 of the moment at which something happens: now, or a moment in the past. Lists that are in the
 * order of ids are then in the order of what happened.
 */
export const newIdOf = ({ happenedAt }: { happenedAt?: string | undefined }): string =>
  happenedAt === undefined ? newId() : v7({ msecs: Date.parse(happenedAt) });

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns true for a text in the form of a UUID of any version and case. PostgreSQL accepts such a text as a uuid. */
export const isUuid = (text: string): boolean => UUID.test(text);

/**
 * Returns the smallest UUID v7 of a millisecond. Every id that was made in or after that millisecond is greater or
 * equal.
 */
export function minIdAt(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** An id that is smaller than every other id. A loop over all ids starts after it. */
export const MIN_ID = minIdAt(0);

/** Returns the time of a UUID v7, in milliseconds since 1970. */
export const madeAt = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
