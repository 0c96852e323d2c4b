/**
 * The error for a value that is sealed under a key of the deployment which this process does not have. Another process
 * may be able to open the value.
 */
export class MissingEncryptionKey extends Error {
  readonly code = 'encryption_key_unknown';
  readonly key_version: number;

  constructor(version: number) {
    super(`Personal data is sealed under encryption key version ${version}, which this process does not have.`);
    this.name = 'UnknownKey';
    this.key_version = version;
  }
}

/**
 * Throws `error` if it is an UnknownKey. Callers that treat an unreadable value as damaged call this first, because a
 * value whose key is missing here is not damaged.
 */
export function throwIfKeyIsUnknown(error: unknown): void {
  if (error instanceof MissingEncryptionKey) throw error;
}
