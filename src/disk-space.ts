import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Error codes for a full disk or quota, from the system and from PostgreSQL. */
const FULL = new Set(['ENOSPC', 'EDQUOT', '53100']);

export const isDiskFull = (error: unknown): boolean =>
  FULL.has(String((error as { code?: unknown } | null | undefined)?.code));

/** Returns the free bytes on the disk of a folder. The folder need not exist yet. */
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
