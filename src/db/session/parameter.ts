import pg from 'pg';

const toText = (pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } }).utils.prepareValue;

const BYTEA = 17;
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL = -1;

/** A value as pg's protocol writes it: text, or bytes for what travels as binary. */
export const toParameter = (value: unknown): unknown =>
  Array.isArray(value) && value.some((item) => Buffer.isBuffer(item)) ? toByteaArray(value) : toText(value);

/**
 * A `bytea[]` in PostgreSQL's binary form (array_recv). As text every byte is two digits that have to be written,
 * unquoted and read again: a third of what it costs to publish two events.
 */
function toByteaArray(items: (Buffer | null)[]): Buffer {
  const bytes = Buffer.allocUnsafe(items.reduce((sum, item) => sum + LENGTH_BYTES + (item?.length ?? 0), HEADER_BYTES));
  const hasNulls = items.includes(null) ? 1 : 0;
  const [dimensions, lowerBound] = [1, 1];
  let at = 0;
  for (const word of [dimensions, hasNulls, BYTEA, items.length, lowerBound]) at = bytes.writeInt32BE(word, at);
  for (const item of items) {
    at = bytes.writeInt32BE(item?.length ?? NULL, at);
    if (item) at += item.copy(bytes, at);
  }
  return bytes;
}
