import { ImportFailure } from '../failures.ts';

/** What one file of an archive does wrong ends nothing but itself: null. An archive that holds more than is taken ends all. */
export async function orNull<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ImportFailure && error.code !== 'archive_too_large') return null;
    throw error;
  }
}
