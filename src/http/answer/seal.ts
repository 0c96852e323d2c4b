import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Turns an answer that shows a secret into text that only the caller's own key opens again, and back (null: another key). */
export type Seal = { close: (text: string) => string; open: (sealed: string) => string | null };

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM under a key derived from the caller's API key. The service keeps only a hash of that key, so a stored
 * answer that shows a new key is no way to read it from the database.
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
