import { createPrivateKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';

const PRIVATE_PREFIX = 'whsk_';
const PUBLIC_PREFIX = 'whpk_';
const SEED_BYTES = 32;

/** A fresh ed25519 key pair: `whsk_` and the base64 of its seed and public key, one after the other. */
export function newKeyPair(): string {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const bytes = [d, x].map((part) => Buffer.from(part as string, 'base64url'));
  return PRIVATE_PREFIX + Buffer.concat(bytes).toString('base64');
}

export const isKeyPair = (secret: string): boolean => secret.startsWith(PRIVATE_PREFIX);

/** What receivers verify with: `whpk_` and the base64 of the public key's 32 bytes. */
export const publicKeyOf = (keyPair: string): string =>
  PUBLIC_PREFIX + bytesOf(keyPair).subarray(SEED_BYTES).toString('base64');

const MOST_KEPT = 10_000;
const kept = new Map<string, KeyObject>();

/** Kept, because reading a key costs about half a signature. */
export function privateKeyOf(keyPair: string): KeyObject {
  const known = kept.get(keyPair);
  if (known) return known;
  const bytes = bytesOf(keyPair);
  const key: JsonWebKey = {
    kty: 'OKP',
    crv: 'Ed25519',
    d: bytes.subarray(0, SEED_BYTES).toString('base64url'),
    x: bytes.subarray(SEED_BYTES).toString('base64url'),
  };
  if (kept.size >= MOST_KEPT) kept.clear();
  const made = createPrivateKey({ key, format: 'jwk' });
  kept.set(keyPair, made);
  return made;
}

const bytesOf = (keyPair: string): Buffer => Buffer.from(keyPair.slice(PRIVATE_PREFIX.length), 'base64');
