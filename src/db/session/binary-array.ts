// Arrays in PostgreSQL's binary form (array_recv). As text each item is quoted here, and unquoted and read as bytes, a number or a
// moment there (record 23).

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL = -1;
const [DIMENSIONS, LOWER_BOUND] = [1, 1];

/** Types by their number in pg_type. */
const OF = { bytea: 17, int8: 20, int4: 23, float8: 701, timestamptz: 1184, jsonb: 3802 };

/** PostgreSQL counts microseconds from the first moment of 2000. */
const EPOCH_MS = Date.UTC(2000, 0, 1);
/** Stands before the text of a jsonb. */
const JSONB_VERSION = Buffer.of(1);

type Items<T> = readonly (T | null)[];

/** A `bytea[]`. */
export const byteaArray = (items: Items<Buffer>): Buffer =>
  arrayOf(OF.bytea, items, {
    bytesOf: (item) => item.length,
    write: (bytes, item, at) => void item.copy(bytes, at),
  });

/** A `bigint[]` of whole numbers that are exact in JavaScript. */
export const int8Array = (items: Items<number>): Buffer =>
  arrayOf(OF.int8, items, { bytesOf: () => 8, write: writeInt8 });

/** An `integer[]`. Throws RangeError of what is none. */
export const int4Array = (items: Items<number>): Buffer =>
  arrayOf(OF.int4, items, { bytesOf: () => 4, write: writeInt4 });

/** A `float8[]`. */
export const float8Array = (items: Items<number>): Buffer =>
  arrayOf(OF.float8, items, { bytesOf: () => 8, write: (bytes, item, at) => void bytes.writeDoubleBE(item, at) });

/** A `timestamptz[]` of moments in UTC with three fractional digits and a Z. Throws RangeError of what is no moment. */
export const timestamptzArray = (moments: Items<string>): Buffer =>
  arrayOf(OF.timestamptz, moments, {
    bytesOf: () => 8,
    write: (bytes, moment, at) => void bytes.writeBigInt64BE(BigInt(Date.parse(moment) - EPOCH_MS) * 1000n, at),
  });

/** A `jsonb[]` of texts that are JSON. */
export const jsonbArray = (texts: Items<string>): Buffer =>
  arrayOf(OF.jsonb, texts, {
    bytesOf: (text) => JSONB_VERSION.length + Buffer.byteLength(text),
    write: (bytes, text, at) => void bytes.write(text, at + JSONB_VERSION.copy(bytes, at)),
  });

type Kind<T> = { bytesOf: (item: T) => number; write: (bytes: Buffer, item: T, at: number) => void };

function arrayOf<T>(type: number, items: Items<T>, { bytesOf, write }: Kind<T>): Buffer {
  let size = HEADER_BYTES;
  let hasNulls = 0;
  for (const item of items) {
    if (item === null) hasNulls = 1;
    size += LENGTH_BYTES + (item === null ? 0 : bytesOf(item));
  }
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const word of [DIMENSIONS, hasNulls, type, items.length, LOWER_BOUND]) at = bytes.writeInt32BE(word, at);
  for (const item of items) {
    const length = item === null ? NULL : bytesOf(item);
    at = bytes.writeInt32BE(length, at);
    if (item === null) continue;
    write(bytes, item, at);
    at += length;
  }
  return bytes;
}

function writeInt4(bytes: Buffer, value: number, at: number): void {
  if (!Number.isInteger(value)) throw new RangeError('An integer has to be a whole number.');
  bytes.writeInt32BE(value, at);
}

const TWO_TO_32 = 2 ** 32;

function writeInt8(bytes: Buffer, value: number, at: number): void {
  if (!Number.isSafeInteger(value)) throw new RangeError('A bigint has to be a whole number that is exact.');
  bytes.writeInt32BE(Math.floor(value / TWO_TO_32), at);
  bytes.writeUInt32BE(value - Math.floor(value / TWO_TO_32) * TWO_TO_32, at + 4);
}
