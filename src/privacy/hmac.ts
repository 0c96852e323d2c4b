import { hash, type KeyObject } from 'node:crypto';

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;
const [INNER_PAD, OUTER_PAD] = [0x36, 0x5c];

type Blocks = { inner: Buffer; outer: Buffer };
const blocksByKey = new WeakMap<KeyObject, Blocks>();

/**
 * Returns the HMAC-SHA256 (RFC 2104) with a key of 32 bytes, computed with two hashes. Node's own HMAC makes a stream
 * for each message and takes two to three times as long. A page of orders has a hundred signed links.
 */
export function hmacSha256(key: KeyObject, message: Buffer): Buffer {
  const { inner, outer } = blocksOf(key);
  const first = Buffer.allocUnsafe(BLOCK_BYTES + message.length);
  first.set(inner);
  first.set(message, BLOCK_BYTES);
  const second = Buffer.allocUnsafe(BLOCK_BYTES + HASH_BYTES);
  second.set(outer);
  // Node takes three times as long to return a hash as a buffer. So we ask for a string with one character per byte.
  second.write(hash('sha256', first, 'binary'), BLOCK_BYTES, 'binary');
  return Buffer.from(hash('sha256', second, 'binary'), 'binary');
}

function blocksOf(key: KeyObject): Blocks {
  let blocks = blocksByKey.get(key);
  if (!blocks) {
    const bytes = key.export();
    const padded = (pad: number): Buffer =>
      Buffer.alloc(BLOCK_BYTES, pad).map((byte, n) => byte ^ (bytes[n] ?? 0)) as Buffer;
    blocksByKey.set(key, (blocks = { inner: padded(INNER_PAD), outer: padded(OUTER_PAD) }));
  }
  return blocks;
}
