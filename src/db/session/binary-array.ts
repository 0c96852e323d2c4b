// Writes arrays in PostgreSQL's binary form (array_recv). In the text form, we would have to quote each item, and
// PostgreSQL would have to unquote and parse it.
import { millisecondsOf } from '../../wire/moment.ts';

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL = -1;
const [DIMENSIONS, LOWER_BOUND] = [1, 1];

/** The oids of types in pg_type. */
const OF = { bytea: 17, int8: 20, int4: 23, float8: 701, timestamptz: 1184, jsonb: 3802 };

/** PostgreSQL counts microseconds from the start of the year 2000. */
const EPOCH_MS = Date.UTC(2000, 0, 1);
/** This byte comes before the text of a jsonb value. */
const JSONB_VERSION = Buffer.of(1);

type Items<T> = readonly (T | null)[];

export const byteaArray = (items: Items<Buffer>): Buffer =>
  arrayOf(OF.bytea, items, {
    bytesOf: (item) => item.length,
    write: ({ bytes }, item, at) => void item.copy(bytes, at),
  });

/** A `bigint[]`. Throws RangeError for a number that is not whole, or that JavaScript does not represent exactly. */
export const int8Array = (items: Items<number>): Buffer =>
  arrayOf(OF.int8, items, { bytesOf: eight, write: writeInt8 });

/** An `integer[]`. Throws RangeError for a number that is not a whole number of 32 bits. */
export const int4Array = (items: Items<number>): Buffer => arrayOf(OF.int4, items, { bytesOf: four, write: writeInt4 });

export const float8Array = (items: Items<number>): Buffer =>
  arrayOf(OF.float8, items, { bytesOf: eight, write: ({ view }, item, at) => view.setFloat64(at, item) });

/** A `timestamptz[]` of times in UTC, with three fractional digits and a Z. Throws RangeError for any other text. */
export const timestamptzArray = (moments: Items<string>): Buffer =>
  arrayOf(OF.timestamptz, moments, { bytesOf: eight, write: writeMoment });

/** A `jsonb[]` of texts that are JSON. */
export const jsonbArray = (texts: Items<string>): Buffer =>
  arrayOf(OF.jsonb, texts, {
    bytesOf: (text) => JSONB_VERSION.length + Buffer.byteLength(text),
    write: ({ bytes }, text, at) => void bytes.write(text, at + JSONB_VERSION.copy(bytes, at)),
  });

/**
 * A buffer, and a view of the same bytes. DataView writes numbers in a fifth of the time that the functions of Buffer
 * take.
 */
type Out = { bytes: Buffer; view: DataView };
type Kind<T> = { bytesOf: (item: T) => number; write: (out: Out, item: T, at: number) => void };

const four = (): number => 4;
const eight = (): number => 8;

function arrayOf<T>(type: number, items: Items<T>, { bytesOf, write }: Kind<T>): Buffer {
  let size = HEADER_BYTES;
  let hasNulls = 0;
  for (const item of items) {
    if (item === null) hasNulls = 1;
    size += LENGTH_BYTES + (item === null ? 0 : bytesOf(item));
  }
  const bytes = Buffer.allocUnsafe(size);
  const view = new DataView(bytes.buffer, bytes.byteOffset, size);
  const out = { bytes, view };
  let at = 0;
  for (const word of [DIMENSIONS, hasNulls, type, items.length, LOWER_BOUND]) {
    view.setInt32(at, word);
    at += LENGTH_BYTES;
  }
  for (const item of items) {
    const length = item === null ? NULL : bytesOf(item);
    view.setInt32(at, length);
    at += LENGTH_BYTES;
    if (item === null) continue;
    write(out, item, at);
    at += length;
  }
  return bytes;
}

const MIN_INT4 = -(2 ** 31);
const MAX_INT4 = 2 ** 31 - 1;

function writeInt4({ view }: Out, value: number, at: number): void {
  if (!Number.isInteger(value) || value < MIN_INT4 || value > MAX_INT4)
    throw new RangeError('An integer must be a whole number of 32 bits.');
  view.setInt32(at, value);
}

const TWO_TO_32 = 2 ** 32;

function writeInt8({ view }: Out, value: number, at: number): void {
  if (!Number.isSafeInteger(value))
    throw new RangeError('A bigint must be a whole number that JavaScript represents exactly.');
  const high = Math.floor(value / TWO_TO_32);
  view.setInt32(at, high);
  view.setUint32(at + 4, value - high * TWO_TO_32);
}

function writeMoment(out: Out, moment: string, at: number): void {
  const ms = millisecondsOf(moment) - EPOCH_MS;
  const microseconds = ms * 1_000;
  if (Number.isSafeInteger(microseconds)) writeInt8(out, microseconds, at);
  else out.view.setBigInt64(at, BigInt(ms) * 1_000n);
}
