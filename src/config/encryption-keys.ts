import { readFileSync } from 'node:fs';
import type { OptionValues } from './read-options.ts';

/** An encryption key with its version (1 to 255). The version is the first byte of every value that the key sealed. */
export type EncryptionKey = { version: number; key: Buffer };

const KEY_BYTES = 32;
const MAX_VERSION = 255;

/**
 * Returns the encryption keys for personal columns. Several options can contain them, and the operator sets one of
 * these options.
 */
export function findEncryptionKeys(given: OptionValues): { keys: EncryptionKey[]; problems: string[] } {
  const { PHIAL_ENVIRONMENT: environment, PHIAL_ENCRYPTION_KEYS_FILE: file, PHIAL_ENCRYPTION_KEYS: listed } = given;
  const refuse = (problem: string): { keys: []; problems: string[] } => ({ keys: [], problems: [problem] });
  if (file && listed) {
    return refuse('PHIAL_ENCRYPTION_KEYS_FILE and PHIAL_ENCRYPTION_KEYS are both set. Give the keys in one of them.');
  }
  const content = file ? readKeyFile(file) : listed;
  if (content === null) return refuse(`PHIAL_ENCRYPTION_KEYS_FILE: ${JSON.stringify(file)} cannot be read.`);
  const read = readEncryptionKeys(content, file ? 'PHIAL_ENCRYPTION_KEYS_FILE' : 'PHIAL_ENCRYPTION_KEYS');
  if (environment === 'production' && read.keys.length === 0 && read.problems.length === 0) {
    return refuse(
      'PHIAL_ENCRYPTION_KEYS is needed in production. Set it to 1:$(openssl rand -base64 32) and keep it. ' +
        'Without it nobody can read the personal data again.',
    );
  }
  return read;
}

/**
 * Reads keys in the form `2:base64,1:base64`, with commas or line breaks between them. The first key encrypts. Error
 * texts contain the version of a key, and never a part of the key.
 */
function readEncryptionKeys(text: string, name: string): { keys: EncryptionKey[]; problems: string[] } {
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
        `${name}: entry ${index + 1} must be a version of its own (1 to ${MAX_VERSION}), a colon and 32 bytes ` +
        'in base64, as 1:$(openssl rand -base64 32).';
      return { keys: [], problems: [problem] };
    }
    keys.push(key);
  }
  return { keys, problems: [] };
}

/** Returns the text of a key file, or null if we cannot read the file. */
function readKeyFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
