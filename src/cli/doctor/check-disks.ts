import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Config } from '../../config/options.ts';
import { freeBytes } from '../../disk-space.ts';
import { findingsOf, type Finding } from '../finding.ts';

/** Checks that the data directory and the directory of uploads can be written and have free space. */
export async function checkDisks(config: Config, dataDir: string): Promise<Finding[]> {
  const uploads = config.uploadDir ?? join(dataDir, 'uploads');
  const folders = isWithin(uploads, dataDir) ? [dataDir] : [dataDir, uploads];
  return Promise.all(folders.map((folder) => checkDisk(folder, config.storage.reserveBytes)));
}

/** `/data-uploads` is not within `/data`. */
const isWithin = (folder: string, above: string): boolean => !relative(above, folder).startsWith('..');

async function checkDisk(folder: string, reserveBytes: number): Promise<Finding> {
  const { fine, warning, problem } = findingsOf('disk');
  const writable = await isWritable(folder);
  if (!writable) return problem(`${folder} cannot be written`, 'Give the account of Phial the right to write there.');
  const free = await freeBytes(folder);
  const found = `${inGigabytes(free)} are free in ${folder}`;
  if (free >= 2 * reserveBytes) return fine(found);
  const mend = `Free some space. Files are refused below ${inGigabytes(reserveBytes)} (PHIAL_STORAGE_RESERVE_BYTES).`;
  return free < reserveBytes ? problem(found, mend) : warning(found, mend);
}

const inGigabytes = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(1)} GiB`;

/** A folder that does not exist yet can be made if the one above it can be written. */
async function isWritable(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK);
    return true;
  } catch (error) {
    const above = dirname(folder);
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && above !== folder && isWritable(above);
  }
}
