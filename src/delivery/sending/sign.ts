import { createHmac, createSecretKey, randomBytes, sign as signEd25519, type KeyObject } from 'node:crypto';
import { isKeyPair, privateKeyOf } from './key-pair.ts';

/** What is signed, and with what. */
export type SignInput = {
  /** Stays the same over all attempts of one event. Letters, digits, `-` and `_` only. */
  id: string;
  /** Time of this attempt. */
  timestampSeconds: number;
  /** Exactly the bytes that are sent. */
  body: Buffer | string;
  /** Secrets, and key pairs where the receiver asks for v1a; several during a rotation: receivers accept any of the signatures. */
  secrets: string[];
};

const SECRET_PREFIX = 'whsec_';
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;
const NEW_SECRET_BYTES = 32;

/**
 * The signature headers of Standard Webhooks 1.0.0 (`webhook-*`), and the same values under the `svix-*` names
 * that existing receivers of this interface verify. Throws when the id could forge the signed text or a secret
 * is not one.
 */
export function sign(input: SignInput): Record<string, string> {
  if (!/^[\w-]+$/.test(input.id)) throw new Error('A webhook id may hold letters, digits, "-" and "_" only.');
  if (input.secrets.length === 0) throw new Error('A webhook needs at least one secret.');
  const timestamp = String(Math.floor(input.timestampSeconds));
  const signature = input.secrets
    .map((secret) => (isKeyPair(secret) ? ed25519(secret, input, timestamp) : hmac(secret, input, timestamp)))
    .join(' ');
  return signatureHeaders(input.id, timestamp, signature);
}

/** Under the names of Standard Webhooks, and those that existing receivers of this interface read. */
export const signatureHeaders = (id: string, timestamp: string, signature: string): Record<string, string> => ({
  'webhook-id': id,
  'webhook-timestamp': timestamp,
  'webhook-signature': signature,
  'svix-id': id,
  'svix-timestamp': timestamp,
  'svix-signature': signature,
});

function hmac(secret: string, { id, body }: SignInput, timestamp: string): string {
  const made = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body);
  return `v1,${made.digest('base64')}`;
}

/** Costs ten times as much as `hmac`, so that only receivers that ask for it get it. */
function ed25519(keyPair: string, { id, body }: SignInput, timestamp: string): string {
  const content = Buffer.concat([
    Buffer.from(`${id}.${timestamp}.`),
    typeof body === 'string' ? Buffer.from(body) : body,
  ]);
  return `v1a,${signEd25519(null, content, privateKeyOf(keyPair)).toString('base64')}`;
}

/** A fresh secret: `whsec_` and 32 random bytes in base64. */
export function newSecret(): string {
  return SECRET_PREFIX + randomBytes(NEW_SECRET_BYTES).toString('base64');
}

/** Whether the text is `whsec_` and canonical base64 of 24 to 64 bytes, as Standard Webhooks asks. */
export function isSecret(text: string): boolean {
  if (!text.startsWith(SECRET_PREFIX)) return false;
  const encoded = text.slice(SECRET_PREFIX.length);
  const key = Buffer.from(encoded, 'base64');
  return key.length >= MIN_SECRET_BYTES && key.length <= MAX_SECRET_BYTES && key.toString('base64') === encoded;
}

const MOST_KEPT = 10_000;
const kept = new Map<string, KeyObject>();

/** Kept, because checking and reading a secret costs a sixth of a signature. */
function keyOf(secret: string): KeyObject {
  const known = kept.get(secret);
  if (known) return known;
  if (!isSecret(secret)) throw new Error('A webhook secret is malformed.');
  if (kept.size >= MOST_KEPT) kept.clear();
  const made = createSecretKey(Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64'));
  kept.set(secret, made);
  return made;
}
