// The bytes of a file, or of what matters in an archive: read as a stream, within the bounds of an archive.
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { openPromise, type Entry, type ZipFile } from 'yauzl';
import { ImportFailure } from '../failures.ts';
import { HEAD_BYTES, isArchive, kindOfFile, type FileKind } from '../file-kind.ts';

/** What is read, and how much of it there will be. */
export type Content = { bytes: number; chunks: AsyncIterable<Buffer> };

/** An export of ten years has some thousands: a file a workout, and one an electrocardiogram. */
const MOST_ENTRIES = 50_000;
/** Exports pack to about a twentieth; DEFLATE can reach a thousandth. */
const MOST_RATIO = 250;
const RATIO_COUNTS_FROM_BYTES = 1024 * 1024;
/** Files of an archive that are looked into to find the export among them. */
const MOST_LOOKS = 5;

/** A workout of a day at one point a second has some; all of it is held in memory. */
const MOST_WORKOUT_BYTES = 64 * 1024 * 1024;

export async function openContent(
  path: string,
  { kind, expandedBytes }: { kind: FileKind; expandedBytes: number },
): Promise<Content> {
  if (isArchive(await headOf(path))) return openArchive(path, expandedBytes);
  const { size } = await stat(path);
  if (kind !== 'apple_health' && size > MOST_WORKOUT_BYTES) throw new ImportFailure('file_too_large');
  return { bytes: size, chunks: createReadStream(path) as AsyncIterable<Buffer> };
}

export async function readWhole({ chunks }: Content): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The export in an archive. Names of entries are compared and never used as paths; nothing is unpacked to the disk. */
async function openArchive(path: string, expandedBytes: number): Promise<Content> {
  const archive = await broken(openPromise(path, { autoClose: false }));
  const documents = await documentsOf(archive);
  for (const entry of documents.slice(0, MOST_LOOKS)) {
    refuseBomb(entry, expandedBytes);
    const chunks = checked(entry, await broken(archive.openReadStreamPromise(entry)));
    const begin: Buffer[] = [];
    let bytes = 0;
    while (bytes < HEAD_BYTES) {
      const { value, done } = await chunks.next();
      if (done) break;
      begin.push(value);
      bytes += value.length;
    }
    if (kindOfFile(Buffer.concat(begin).subarray(0, HEAD_BYTES)) === 'apple_health')
      return { bytes: entry.uncompressedSize, chunks: joined(begin, chunks) };
    await chunks.return(undefined);
  }
  throw new ImportFailure('archive_without_export');
}

/**
 * The XML files of an archive, the largest first: what an export calls its file depends on the language of the phone. The
 * same data for clinics stands in a second one.
 */
async function documentsOf(archive: ZipFile): Promise<Entry[]> {
  if (archive.entryCount > MOST_ENTRIES) throw new ImportFailure('archive_too_large');
  const documents: Entry[] = [];
  try {
    for await (const entry of archive.eachEntry())
      if (/\.xml$/i.test(entry.fileName) && !/_cda\.xml$/i.test(entry.fileName)) documents.push(entry);
  } catch {
    throw new ImportFailure('archive_broken');
  }
  return documents.sort((a, b) => b.uncompressedSize - a.uncompressedSize);
}

function refuseBomb({ uncompressedSize, compressedSize }: Entry, expandedBytes: number): void {
  const isTight =
    uncompressedSize > RATIO_COUNTS_FROM_BYTES && uncompressedSize / Math.max(1, compressedSize) > MOST_RATIO;
  if (isTight || uncompressedSize > expandedBytes) throw new ImportFailure('archive_too_large');
}

/** As many bytes as the entry says (the library sees to it), with the checksum that it says. */
async function* checked(entry: Entry, stream: Readable): AsyncGenerator<Buffer, void, undefined> {
  let sum = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      sum = crc32(chunk, sum);
      yield chunk;
    }
  } catch {
    throw new ImportFailure('archive_broken');
  }
  if (sum !== entry.crc32) throw new ImportFailure('archive_broken');
}

async function* joined(begin: Buffer[], rest: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  yield* begin;
  yield* rest;
}

const broken = <T>(work: Promise<T>): Promise<T> =>
  work.catch(() => {
    throw new ImportFailure('archive_broken');
  });
