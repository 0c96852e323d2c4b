// Finds the export among the files in an archive of Apple's Health app.
import type { Entry } from 'yauzl';
import { ImportFailure } from '../../failures.ts';
import { HEAD_BYTES, kindOfFile } from '../../file-kind.ts';
import type { Archive } from '../open-archive.ts';
import type { Content } from '../content.ts';

/** The most files that we open to find the export. */
const MAX_LOOKS = 5;

/**
 * Finds the export by its content, because its file name depends on the language of the phone. Opens the largest file
 * first. Skips `…_cda.xml`, which repeats the data in a format for clinics. Throws archive_without_export.
 */
export async function findExport(archive: Archive): Promise<Content> {
  const documents = archive.entries
    .filter(({ fileName }) => /\.xml$/i.test(fileName) && !/_cda\.xml$/i.test(fileName))
    .sort((a, b) => b.uncompressedSize - a.uncompressedSize);
  for (const entry of documents.slice(0, MAX_LOOKS)) {
    const content = await exportOrNull(archive, entry);
    if (content) return content;
  }
  throw new ImportFailure('archive_without_export');
}

async function exportOrNull(archive: Archive, entry: Entry): Promise<Content | null> {
  const chunks = await archive.open(entry);
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
  return null;
}

async function* joined(begin: Buffer[], rest: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  yield* begin;
  yield* rest;
}
