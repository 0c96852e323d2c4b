import { ImportFailure, type FailureCode } from '../failures.ts';

/** The failures that end the whole import, and not only the reading of one file. */
const ENDS_ALL = new Set<FailureCode>(['archive_too_large', 'storage_full']);

/** Returns null if `read` fails for one file of an archive, so that the import continues with the other files. */
export async function orNull<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ImportFailure && !ENDS_ALL.has(error.code)) return null;
    throw error;
  }
}
