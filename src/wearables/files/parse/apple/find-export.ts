// The export among the files of an archive of Apple's Health app.
import type { Entry } from 'yauzl';
import { ImportFailure } from '../../failures.ts';
import { HEAD_BYTES, kindOfFile } from '../../file-kind.ts';
import type { Archive } from '../archive.ts';
import type { Content } from '../content.ts';

/** Files of an archive that are looked into to find the export among them. */
const MOST_LOOKS = 5;

/**
 * By what is in it, as what the file is called depends on the language of the phone; the largest first. The same data for clinics stands
 * in a second one. Throws archive_without_export.
 */
export async function findExport(archive: Archive): Promise<Content> {
  const documents = archive.entries
    .filter(({ fileName }) => /\.xml$/i.test(fileName) && !/_cda\.xml$/i.test(fileName))
    .sort((a, b) => b.uncompressedSize - a.uncompressedSize);
  for (const entry of documents.slice(0, MOST_LOOKS)) {
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
