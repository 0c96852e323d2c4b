/** The embedded PostgreSQL cannot be used. The message is for the person who starts the program. */
export class EmbeddedError extends Error {
  override readonly name: string = 'EmbeddedError';
}

/** Another process owns the embedded PostgreSQL of this data directory. `holder` is the name of that process. */
export class AlreadyServed extends EmbeddedError {
  override readonly name = 'AlreadyServed';
  readonly dataDir: string;
  readonly holder: string;

  constructor(dataDir: string, holder: string) {
    super(
      `The data directory ${dataDir} is already in use by: ${holder}. Stop it first, or choose another ` +
        'directory with PHIAL_DATA_DIR.',
    );
    this.dataDir = dataDir;
    this.holder = holder;
  }
}

/** Returns true if `error` is an error of the system or of PostgreSQL with one of these codes. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
