// The folder in which uploaded files wait for their import. A file's name is the id of its import. Only the
// operating-system user of this service can read the files.
import { mkdir, open, opendir, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/options.ts';
import { isUuid } from '../../ids.ts';

type UploadConfig = Pick<Config, 'uploadDir'>;

export function uploadPath({ uploadDir }: UploadConfig, importId: string): string {
  if (uploadDir === null) throw new Error('The upload directory is chosen when the service starts.');
  return join(uploadDir, importId);
}

export async function createUpload(config: UploadConfig, importId: string): Promise<FileHandle> {
  const path = uploadPath(config, importId);
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  return open(path, 'wx', 0o600);
}

/** Removes the file. It may be missing already. */
export const removeUpload = (config: UploadConfig, importId: string): Promise<void> =>
  rm(uploadPath(config, importId), { force: true });

/**
 * Returns the ids of uploads that are older than `ms`, some hundred at a time. Ignores files whose names are not ids.
 */
export async function* oldUploads(config: UploadConfig, ms: number): AsyncIterable<string[]> {
  if (config.uploadDir === null) return;
  let folder;
  try {
    folder = await opendir(config.uploadDir);
  } catch {
    return; // Nobody has uploaded a file yet.
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
