import { createPrivateKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';

const PRIVATE_PREFIX = 'whsk_';
const PUBLIC_PREFIX = 'whpk_';
const SEED_BYTES = 32;

/**
 * Creates an ed25519 key pair. The text is `whsk_`, followed by the base64 of its seed and its public key, in this
 * order.
 */
export function newKeyPair(): string {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const bytes = [d, x].map((part) => Buffer.from(part as string, 'base64url'));
  return PRIVATE_PREFIX + Buffer.concat(bytes).toString('base64');
}

export const isKeyPair = (secret: string): boolean => secret.startsWith(PRIVATE_PREFIX);

/** Returns the public key with which endpoints verify signatures: `whpk_`, followed by the base64 of its 32 bytes. */
export const publicKeyOf = (keyPair: string): string =>
  PUBLIC_PREFIX + bytesOf(keyPair).subarray(SEED_BYTES).toString('base64');

const MAX_CACHED = 10_000;
const cached = new Map<string, KeyObject>();

/**
 * Returns the private key of a key pair. We cache the keys, because parsing a key takes about half as long as a
 * signature.
 */
export function privateKeyOf(keyPair: string): KeyObject {
  const known = cached.get(keyPair);
  if (known) return known;
  const bytes = bytesOf(keyPair);
  const key: JsonWebKey = {
    kty: 'OKP',
    crv: 'Ed25519',
    d: bytes.subarray(0, SEED_BYTES).toString('base64url'),
    x: bytes.subarray(SEED_BYTES).toString('base64url'),
  };
  if (cached.size >= MAX_CACHED) cached.clear();
  const made = createPrivateKey({ key, format: 'jwk' });
  cached.set(keyPair, made);
  return made;
}

const bytesOf = (keyPair: string): Buffer => Buffer.from(keyPair.slice(PRIVATE_PREFIX.length), 'base64');
