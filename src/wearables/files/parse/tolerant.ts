import { ImportFailure, type FailureCode } from '../failures.ts';

/** These end the whole import: the archive holds more than is taken, or the disk is full. */
const ENDS_ALL = new Set<FailureCode>(['archive_too_large', 'storage_full']);

/** What one file of an archive does wrong ends nothing but itself: null. */
export async function orNull<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ImportFailure && !ENDS_ALL.has(error.code)) return null;
    throw error;
  }
}
