import { createHmac, createSecretKey, randomBytes, sign as signEd25519, type KeyObject } from 'node:crypto';
import { isKeyPair, privateKeyOf } from './key-pair.ts';

/** The content to sign, and the secrets to sign it with. */
export type SignInput = {
  /** The id of the event, which is the same for all its attempts. Only letters, digits, `-` and `_`. */
  id: string;
  /** The time of this attempt. */
  timestampSeconds: number;
  /** The same bytes that the request sends. */
  body: Buffer | string;
  /**
   * The secrets, and the key pairs if the endpoint has enabled v1a signatures (ed25519). While a customer replaces a
   * secret, there are several. An endpoint accepts the request if any of the signatures is valid.
   */
  secrets: string[];
};

const SECRET_PREFIX = 'whsec_';
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;
const NEW_SECRET_BYTES = 32;

/**
 * Returns the signature headers of Standard Webhooks 1.0.0 (`webhook-*`). The endpoints of existing customers verify
 * `svix-*` headers, so the result has the same values under those names too. Throws if the id has a character that
 * could change the meaning of the signed text, or if a secret is malformed.
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

/**
 * Returns the three values under the names of Standard Webhooks, and again under the `svix-*` names that endpoints of
 * existing customers read.
 */
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

/** Signs with ed25519. This takes ten times as long as `hmac`, so only endpoints that enable it get this signature. */
function ed25519(keyPair: string, { id, body }: SignInput, timestamp: string): string {
  const content = Buffer.concat([
    Buffer.from(`${id}.${timestamp}.`),
    typeof body === 'string' ? Buffer.from(body) : body,
  ]);
  return `v1a,${signEd25519(null, content, privateKeyOf(keyPair)).toString('base64')}`;
}

/** Creates a secret: `whsec_`, followed by 32 random bytes in base64. */
export function newSecret(): string {
  return SECRET_PREFIX + randomBytes(NEW_SECRET_BYTES).toString('base64');
}

/** True if the text is `whsec_`, followed by the canonical base64 of 24 to 64 bytes, as Standard Webhooks requires. */
export function isSecret(text: string): boolean {
  if (!text.startsWith(SECRET_PREFIX)) return false;
  const encoded = text.slice(SECRET_PREFIX.length);
  const key = Buffer.from(encoded, 'base64');
  return key.length >= MIN_SECRET_BYTES && key.length <= MAX_SECRET_BYTES && key.toString('base64') === encoded;
}

const MAX_CACHED = 10_000;
const cached = new Map<string, KeyObject>();

/**
 * Returns the HMAC key of a secret. We cache the keys, because checking and parsing a secret takes a sixth of a
 * signature.
 */
function keyOf(secret: string): KeyObject {
  const known = cached.get(secret);
  if (known) return known;
  if (!isSecret(secret)) throw new Error('A webhook secret is malformed.');
  if (cached.size >= MAX_CACHED) cached.clear();
  const made = createSecretKey(Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64'));
  cached.set(secret, made);
  return made;
}
