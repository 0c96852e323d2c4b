import type { OptionValues } from './read-options.ts';

/** An encryption key with its version (1 to 255). The version is the first byte of every value that the key sealed. */
export type EncryptionKey = { version: number; key: Buffer };

const KEY_BYTES = 32;
const MAX_VERSION = 255;

/** Returns the encryption keys for personal columns. `isWrong`: the option has another problem, which is enough. */
export function findEncryptionKeys(
  given: OptionValues,
  isWrong: boolean,
): { keys: EncryptionKey[]; problems: string[] } {
  const { PHIAL_ENVIRONMENT: environment, PHIAL_ENCRYPTION_KEYS: listed } = given;
  const read = readEncryptionKeys(listed);
  if (environment === 'production' && !isWrong && read.keys.length === 0 && read.problems.length === 0) {
    const problem =
      'PHIAL_ENCRYPTION_KEYS is needed in production. Set it to 1:$(openssl rand -base64 32) and keep it. ' +
      'Without it nobody can read the personal data again.';
    return { keys: [], problems: [problem] };
  }
  return read;
}

/**
 * Reads keys in the form `2:base64,1:base64`, with commas or line breaks between them. The first key encrypts. Error
 * texts contain the version of a key, and never a part of the key.
 */
function readEncryptionKeys(text: string): { keys: EncryptionKey[]; problems: string[] } {
  const keys: EncryptionKey[] = [];
  const entries = text
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter(Boolean);
  for (const [index, entry] of entries.entries()) {
    const [, version, base64] = /^(\d{1,3}):([A-Za-z0-9+/]+={0,2})$/.exec(entry) ?? [];
    const key = { version: Number(version), key: Buffer.from(base64 ?? '', 'base64') };
    const fits = key.version >= 1 && key.version <= MAX_VERSION && key.key.length === KEY_BYTES;
    if (!fits || keys.some((other) => other.version === key.version)) {
      const problem =
        `PHIAL_ENCRYPTION_KEYS: entry ${index + 1} must be a version of its own (1 to ${MAX_VERSION}), a colon and ` +
        '32 bytes in base64, as 1:$(openssl rand -base64 32).';
      return { keys: [], problems: [problem] };
    }
    keys.push(key);
  }
  return { keys, problems: [] };
}
