import { hash, type KeyObject } from 'node:crypto';

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;
const [INNER_PAD, OUTER_PAD] = [0x36, 0x5c];

type Blocks = { inner: Buffer; outer: Buffer };
const kept = new WeakMap<KeyObject, Blocks>();

/**
 * HMAC-SHA256 (RFC 2104) under a key of 32 bytes, by two hashes: node's own makes a stream for each message, which takes two to three
 * times as long, and a page of orders signs a hundred links.
 */
export function hmacSha256(key: KeyObject, message: Buffer): Buffer {
  const { inner, outer } = blocksOf(key);
  const first = Buffer.allocUnsafe(BLOCK_BYTES + message.length);
  first.set(inner);
  first.set(message, BLOCK_BYTES);
  const second = Buffer.allocUnsafe(BLOCK_BYTES + HASH_BYTES);
  second.set(outer);
  // As text, a character a byte: node makes a buffer of a hash at three times the price.
  second.write(hash('sha256', first, 'binary'), BLOCK_BYTES, 'binary');
  return Buffer.from(hash('sha256', second, 'binary'), 'binary');
}

function blocksOf(key: KeyObject): Blocks {
  let blocks = kept.get(key);
  if (!blocks) {
    const bytes = key.export();
    const padded = (pad: number): Buffer =>
      Buffer.alloc(BLOCK_BYTES, pad).map((byte, n) => byte ^ (bytes[n] ?? 0)) as Buffer;
    kept.set(key, (blocks = { inner: padded(INNER_PAD), outer: padded(OUTER_PAD) }));
  }
  return blocks;
}
