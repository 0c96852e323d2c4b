// Where uploaded files lie until they are imported: under the id of their import, readable by this service alone.
import { mkdir, open, opendir, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/options.ts';
import { isUuid } from '../../ids.ts';

type Place = Pick<Config, 'uploadDir'>;

export function uploadPath({ uploadDir }: Place, importId: string): string {
  if (uploadDir === null) throw new Error('The upload directory is chosen when the service starts.');
  return join(uploadDir, importId);
}

export async function createUpload(config: Place, importId: string): Promise<FileHandle> {
  const path = uploadPath(config, importId);
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  return open(path, 'wx', 0o600);
}

/** No error where it is gone already. */
export const removeUpload = (config: Place, importId: string): Promise<void> =>
  rm(uploadPath(config, importId), { force: true });

/** What lies in the upload directory for longer than `ms`, a few hundred files at a time; other files are left alone. */
export async function* oldUploads(config: Place, ms: number): AsyncIterable<string[]> {
  if (config.uploadDir === null) return;
  let folder;
  try {
    folder = await opendir(config.uploadDir);
  } catch {
    return; // nothing was uploaded yet
  }
  let ids: string[] = [];
  for await (const { name } of folder) {
    if (!isUuid(name)) continue;
    const file = await stat(uploadPath(config, name)).catch(() => null);
    if (file && Date.now() - file.mtimeMs > ms) ids.push(name);
    if (ids.length < 200) continue;
    yield ids;
    ids = [];
  }
  if (ids.length > 0) yield ids;
}
