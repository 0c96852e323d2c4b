/** A value is sealed under a key of the deployment that this process was not given. Another process may open it. */
export class UnknownKey extends Error {
  readonly code = 'encryption_key_unknown';
  readonly key_version: number;

  constructor(version: number) {
    super(`Personal data is sealed under encryption key version ${version}, which this process was not given.`);
    this.name = 'UnknownKey';
    this.key_version = version;
  }
}

/** For who takes a value that does not open as damaged: one whose key is missing here is as it should be. */
export function throwIfKeyIsUnknown(error: unknown): void {
  if (error instanceof UnknownKey) throw error;
}
