/**
 * Thrown for a value that is sealed under a key that the deployment has but this process does not. Another process may
 * be able to decrypt the value.
 */
export class MissingEncryptionKey extends Error {
  readonly code = 'encryption_key_unknown';
  readonly key_version: number;

  constructor(version: number) {
    super(`Personal data is sealed under encryption key version ${version}, which this process does not have.`);
    this.name = 'MissingEncryptionKey';
    this.key_version = version;
  }
}

/**
 * Throws `error` if it is a MissingEncryptionKey. Callers that treat an unreadable value as damaged call this first,
 * because such a value is not damaged.
 */
export function throwIfKeyIsUnknown(error: unknown): void {
  if (error instanceof MissingEncryptionKey) throw error;
}
