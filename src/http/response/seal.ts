import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/**
 * `close` encrypts a response that contains a secret. `open` decrypts it with the same API key, and returns null with
 * any other key.
 */
export type Seal = { close: (text: string) => string; open: (sealed: string) => string | null };

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Returns a seal that uses AES-256-GCM. It derives the encryption key from the caller's API key, of which Phial stores
 * only a hash. So nobody can decrypt the stored response with the database alone.
 */
export function sealFor(apiKey: string): Seal {
  const key = Buffer.from(hkdfSync('sha256', apiKey, '', 'phial idempotent answer', 32));
  return {
    close: (text) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
    },
    open: (sealed) => {
      const bytes = Buffer.from(sealed, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString(
          'utf8',
        );
      } catch {
        return null;
      }
    },
  };
}
