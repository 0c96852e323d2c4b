// A zip archive, read entry by entry within its bounds. Names of entries are compared and never used as paths. Only an archive within
// an archive is unpacked to the disk, as it is read from its end: into a file that has no name any more.
import { open as openFile, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { fromFdPromise, openPromise, type Entry, type ZipFile } from 'yauzl';
import { freeBytes, isDiskFull } from '../../../disk-space.ts';
import { ImportFailure } from '../failures.ts';

export type Archive = {
  entries: Entry[];
  /** The bytes of an entry. Throws archive_too_large beyond what the archive may hold in all, archive_broken where it lies. */
  open: (entry: Entry) => Promise<AsyncGenerator<Buffer, void, undefined>>;
  /** The same as one buffer of at most so many bytes. Throws file_too_large too. */
  readWhole: (entry: Entry, mostBytes: number) => Promise<Buffer>;
  /**
   * Reads the archive that an entry is. It shares the bound of this one, and its copy on the disk is gone when `read` ends. Throws
   * file_too_large, and storage_full where the disk has no room for it.
   */
  within: (entry: Entry, read: (inner: Archive) => Promise<void>) => Promise<void>;
};

/** An export of ten years has some thousands: a file a workout, and one an electrocardiogram. */
const MOST_ENTRIES = 50_000;
/** Exports pack to about a twentieth; DEFLATE can reach a thousandth. */
const MOST_RATIO = 250;
const RATIO_COUNTS_FROM_BYTES = 1024 * 1024;
/** The copy of an inner archive on the disk, of which there is one at a time. */
const MOST_INNER_BYTES = 1024 * 1024 * 1024;
/** Free space is looked at each time that so much was written. */
const STEP_BYTES = 64 * 1024 * 1024;

type Bounds = { expandedBytes: number; reserveBytes: number };

/** An archive of at most `expandedBytes` in all, whatever of it is read. Its inner ones leave `reserveBytes` of the disk free. */
export const openArchive = async (path: string, { expandedBytes, reserveBytes }: Bounds): Promise<Archive> =>
  archiveOf(await broken(openPromise(path, { autoClose: false })), {
    path,
    reserveBytes,
    bound: { leftBytes: expandedBytes, hasCopy: false },
  });

type Place = { path: string; reserveBytes: number; bound: { leftBytes: number; hasCopy: boolean } };

async function archiveOf(zip: ZipFile, place: Place): Promise<Archive> {
  const { path, reserveBytes, bound } = place;
  const entries = await entriesOf(zip);
  const open = async (entry: Entry): Promise<AsyncGenerator<Buffer, void, undefined>> => {
    const { uncompressedSize, compressedSize } = entry;
    const isTight =
      uncompressedSize > RATIO_COUNTS_FROM_BYTES && uncompressedSize / Math.max(1, compressedSize) > MOST_RATIO;
    if (isTight || uncompressedSize > bound.leftBytes) throw new ImportFailure('archive_too_large');
    bound.leftBytes -= uncompressedSize;
    return checked(entry, await broken(zip.openReadStreamPromise(entry)));
  };
  return {
    entries,
    open,
    readWhole: async (entry, mostBytes) => {
      if (entry.uncompressedSize > mostBytes) throw new ImportFailure('file_too_large');
      const all: Buffer[] = [];
      for await (const chunk of await open(entry)) all.push(chunk);
      return Buffer.concat(all);
    },
    within: async (entry, read) => {
      if (entry.uncompressedSize > MOST_INNER_BYTES) throw new ImportFailure('file_too_large');
      if (bound.hasCopy) throw new ImportFailure('archive_too_large');
      const chunks = await open(entry);
      const copy = await openFile(`${path}.within`, 'w+', 0o600);
      bound.hasCopy = true;
      try {
        // Gone when this process is, however it ends.
        await rm(`${path}.within`);
        await write(chunks, copy, { folder: dirname(path), reserveBytes, bytes: entry.uncompressedSize });
        await read(await archiveOf(await broken(fromFdPromise(copy.fd, { autoClose: false })), place));
      } finally {
        bound.hasCopy = false;
        await copy.close();
      }
    },
  };
}

type Room = { folder: string; reserveBytes: number; bytes: number };

async function write(
  chunks: AsyncIterable<Buffer>,
  copy: FileHandle,
  { folder, reserveBytes, bytes }: Room,
): Promise<void> {
  let written = 0;
  let checkedTo = 0;
  for await (const chunk of chunks) {
    if (written + chunk.length > checkedTo) {
      const step = Math.min(STEP_BYTES, Math.max(bytes - written, chunk.length));
      if ((await freeBytes(folder)) < reserveBytes + step) throw new ImportFailure('storage_full');
      checkedTo = written + step;
    }
    try {
      await copy.writeFile(chunk);
    } catch (error) {
      throw isDiskFull(error) ? new ImportFailure('storage_full') : error;
    }
    written += chunk.length;
  }
}

async function entriesOf(zip: ZipFile): Promise<Entry[]> {
  if (zip.entryCount > MOST_ENTRIES) throw new ImportFailure('archive_too_large');
  const entries: Entry[] = [];
  try {
    for await (const entry of zip.eachEntry()) if (!entry.fileName.endsWith('/')) entries.push(entry);
  } catch {
    throw new ImportFailure('archive_broken');
  }
  // What a Mac adds beside each file of its own.
  return entries.filter(({ fileName }) => !fileName.startsWith('__MACOSX/'));
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

const broken = <T>(work: Promise<T>): Promise<T> =>
  work.catch(() => {
    throw new ImportFailure('archive_broken');
  });
