import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Codes of a full disk, or a used-up quota of it: of the system, and of PostgreSQL. */
const FULL = new Set(['ENOSPC', 'EDQUOT', '53100']);

export const isDiskFull = (error: unknown): boolean =>
  FULL.has(String((error as { code?: unknown } | null | undefined)?.code));

/** Bytes that are free for this process on the disk of a folder, which may not be made yet. */
export async function freeBytes(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch (error) {
    const above = dirname(folder);
    if (above === folder) throw error;
    return freeBytes(above);
  }
}
