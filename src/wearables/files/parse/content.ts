// The bytes of a file. We read a FIT file completely into memory, and any other file as a stream.
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { ImportFailure } from '../failures.ts';
import { HEAD_BYTES, isArchive } from '../file-kind.ts';

export type Content = { bytes: number; chunks: AsyncIterable<Buffer> };

/**
 * The largest FIT, TCX or GPX file in bytes. The process has the points of the file in memory. A workout of a day with
 * one point a second has some megabytes.
 */
const MAX_WORKOUT_BYTES = 64 * 1024 * 1024;

export async function openContent(path: string): Promise<Content> {
  const { size } = await stat(path);
  return { bytes: size, chunks: createReadStream(path) as AsyncIterable<Buffer> };
}

/** Reads all bytes of a file into one buffer. Throws file_too_large. */
export async function readWhole({ bytes, chunks }: Content): Promise<Buffer> {
  refuseLarge(bytes);
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

export function refuseLarge(bytes: number): void {
  if (bytes > MAX_WORKOUT_BYTES) throw new ImportFailure('file_too_large');
}

/** Whether a file is an archive. Decides by its first bytes. */
export async function isArchiveAt(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return isArchive(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}
