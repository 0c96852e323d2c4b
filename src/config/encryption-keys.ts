import { readFileSync } from 'node:fs';
import type { Given } from './read-options.ts';

/** A key by its version (1 to 255, the first byte of every value that it sealed). */
export type EncryptionKey = { version: number; key: Buffer };

const KEY_BYTES = 32;
const MOST_VERSION = 255;

/** The keys of the personal columns, from the one option that gives them. */
export function findEncryptionKeys(given: Given): { keys: EncryptionKey[]; problems: string[] } {
  const { PHIAL_ENVIRONMENT: environment, PHIAL_ENCRYPTION_KEYS_FILE: file, PHIAL_ENCRYPTION_KEYS: listed } = given;
  const refuse = (problem: string): { keys: []; problems: string[] } => ({ keys: [], problems: [problem] });
  if (file && listed) {
    return refuse('PHIAL_ENCRYPTION_KEYS_FILE and PHIAL_ENCRYPTION_KEYS are both there: give the keys in one place.');
  }
  const content = file ? readKeyFile(file) : listed;
  if (content === null) return refuse(`PHIAL_ENCRYPTION_KEYS_FILE: ${JSON.stringify(file)} cannot be read.`);
  const read = readEncryptionKeys(content, file ? 'PHIAL_ENCRYPTION_KEYS_FILE' : 'PHIAL_ENCRYPTION_KEYS');
  if (environment === 'production' && read.keys.length === 0 && read.problems.length === 0) {
    return refuse(
      'PHIAL_ENCRYPTION_KEYS is needed in production: set it to 1:$(openssl rand -base64 32) and keep it: without it nothing personal can be read again.',
    );
  }
  return read;
}

/**
 * Reads `2:base64,1:base64` (commas or line breaks), the first of which seals. Problems name the version only,
 * never a part of a key.
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
    const fits = key.version >= 1 && key.version <= MOST_VERSION && key.key.length === KEY_BYTES;
    if (!fits || keys.some((other) => other.version === key.version)) {
      const problem = `${name}: entry ${index + 1} must be a version of its own (1 to ${MOST_VERSION}), a colon and 32 bytes in base64, as 1:$(openssl rand -base64 32).`;
      return { keys: [], problems: [problem] };
    }
    keys.push(key);
  }
  return { keys, problems: [] };
}

/** The text of a file of keys; null where it cannot be read. */
function readKeyFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
