// A zip archive, read entry by entry within its bounds. Names of entries are compared and never used as paths; nothing is
// unpacked to the disk.
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { openPromise, type Entry, type ZipFile } from 'yauzl';
import { ImportFailure } from '../failures.ts';

export type Archive = {
  entries: Entry[];
  /** The bytes of an entry. Throws archive_too_large beyond what the archive may hold in all, archive_broken where it lies. */
  open: (entry: Entry) => Promise<AsyncGenerator<Buffer, void, undefined>>;
  /** The same as one buffer of at most so many bytes. Throws file_too_large too. */
  readWhole: (entry: Entry, mostBytes: number) => Promise<Buffer>;
};

/** An export of ten years has some thousands: a file a workout, and one an electrocardiogram. */
const MOST_ENTRIES = 50_000;
/** Exports pack to about a twentieth; DEFLATE can reach a thousandth. */
const MOST_RATIO = 250;
const RATIO_COUNTS_FROM_BYTES = 1024 * 1024;

export const openArchive = async (path: string, expandedBytes: number): Promise<Archive> =>
  archiveOf(await broken(openPromise(path, { autoClose: false })), expandedBytes);

/** An archive of at most `expandedBytes` in all, whatever of it is read. */
async function archiveOf(zip: ZipFile, expandedBytes: number): Promise<Archive> {
  const entries = await entriesOf(zip);
  let leftBytes = expandedBytes;
  const open = async (entry: Entry): Promise<AsyncGenerator<Buffer, void, undefined>> => {
    const { uncompressedSize, compressedSize } = entry;
    const isTight =
      uncompressedSize > RATIO_COUNTS_FROM_BYTES && uncompressedSize / Math.max(1, compressedSize) > MOST_RATIO;
    if (isTight || uncompressedSize > leftBytes) throw new ImportFailure('archive_too_large');
    leftBytes -= uncompressedSize;
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
  };
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
