// A zip archive, which is read entry by entry within limits. Names of entries are compared but never used as paths. An
// archive within the archive is copied to the disk, because the list of its entries is at its end, and a reader needs
// the list first. The copy is unlinked at once, so it never stays on the disk.
import { open as openFile, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { fromFdPromise, openPromise, type Entry, type ZipFile } from 'yauzl';
import { freeBytes, isDiskFull } from '../../../disk-space.ts';
import { ImportFailure } from '../failures.ts';

export type Archive = {
  entries: Entry[];
  /**
   * Returns the bytes of an entry. Throws archive_too_large if the entries together exceed the limit of the archive,
   * and archive_broken if the size or the checksum of the entry is wrong.
   */
  open: (entry: Entry) => Promise<AsyncGenerator<Buffer, void, undefined>>;
  /** Returns the bytes of an entry as one buffer. Also throws file_too_large, if there are more than `maxBytes`. */
  readWhole: (entry: Entry, maxBytes: number) => Promise<Buffer>;
  /**
   * Opens an entry that is an archive, and calls `read` with it. Its bytes count against the limit of the outer
   * archive. After `read`, the copy on the disk is gone. Throws file_too_large, and storage_full if the disk has no
   * space for the copy.
   */
  within: (entry: Entry, read: (inner: Archive) => Promise<void>) => Promise<void>;
};

/** The most entries. An export of ten years has some thousands: one for each workout and each electrocardiogram. */
const MAX_ENTRIES = 50_000;
/**
 * The largest ratio of unpacked to packed bytes. Exports have about 20. A malicious archive can reach 1,000 with
 * DEFLATE.
 */
const MAX_RATIO = 250;
const RATIO_COUNTS_FROM_BYTES = 1024 * 1024;
/** The largest copy of an inner archive in bytes. There is only one copy on the disk at a time. */
const MAX_INNER_BYTES = 1024 * 1024 * 1024;
/** After each 64 MiB of the copy, we check the free disk space again. */
const STEP_BYTES = 64 * 1024 * 1024;

type Bounds = { expandedBytes: number; reserveBytes: number };

/**
 * Opens an archive. At most `expandedBytes` can be read from it in total. Copies of inner archives leave `reserveBytes`
 * of the disk free.
 */
export const openArchive = async (path: string, { expandedBytes, reserveBytes }: Bounds): Promise<Archive> =>
  archiveOf(await broken(openPromise(path, { autoClose: false })), {
    path,
    reserveBytes,
    bound: { leftBytes: expandedBytes, hasCopy: false },
  });

type ArchiveContext = { path: string; reserveBytes: number; bound: { leftBytes: number; hasCopy: boolean } };

async function archiveOf(zip: ZipFile, context: ArchiveContext): Promise<Archive> {
  const { path, reserveBytes, bound } = context;
  const entries = await entriesOf(zip);
  const open = async (entry: Entry): Promise<AsyncGenerator<Buffer, void, undefined>> => {
    const { uncompressedSize, compressedSize } = entry;
    const isTight =
      uncompressedSize > RATIO_COUNTS_FROM_BYTES && uncompressedSize / Math.max(1, compressedSize) > MAX_RATIO;
    if (isTight || uncompressedSize > bound.leftBytes) throw new ImportFailure('archive_too_large');
    bound.leftBytes -= uncompressedSize;
    return checked(entry, await broken(zip.openReadStreamPromise(entry)));
  };
  return {
    entries,
    open,
    readWhole: async (entry, maxBytes) => {
      if (entry.uncompressedSize > maxBytes) throw new ImportFailure('file_too_large');
      const all: Buffer[] = [];
      for await (const chunk of await open(entry)) all.push(chunk);
      return Buffer.concat(all);
    },
    within: async (entry, read) => {
      if (entry.uncompressedSize > MAX_INNER_BYTES) throw new ImportFailure('file_too_large');
      if (bound.hasCopy) throw new ImportFailure('archive_too_large');
      const chunks = await open(entry);
      const copy = await openFile(`${path}.within`, 'w+', 0o600);
      bound.hasCopy = true;
      try {
        // An unlinked file disappears when this process closes it or ends, even if the process is killed.
        await rm(`${path}.within`);
        await write(chunks, copy, { folder: dirname(path), reserveBytes, bytes: entry.uncompressedSize });
        await read(await archiveOf(await broken(fromFdPromise(copy.fd, { autoClose: false })), context));
      } finally {
        bound.hasCopy = false;
        await copy.close();
      }
    },
  };
}

type CopyTarget = { folder: string; reserveBytes: number; bytes: number };

async function write(
  chunks: AsyncIterable<Buffer>,
  copy: FileHandle,
  { folder, reserveBytes, bytes }: CopyTarget,
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
  if (zip.entryCount > MAX_ENTRIES) throw new ImportFailure('archive_too_large');
  const entries: Entry[] = [];
  try {
    for await (const entry of zip.eachEntry()) if (!entry.fileName.endsWith('/')) entries.push(entry);
  } catch {
    throw new ImportFailure('archive_broken');
  }
  // For each file, macOS adds an entry in the folder `__MACOSX`. These entries have no health data.
  return entries.filter(({ fileName }) => !fileName.startsWith('__MACOSX/'));
}

/** Checks the checksum of an entry. The library checks the number of bytes. */
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
