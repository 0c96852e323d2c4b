// What lies beside the export in its archive.
import type { Entry } from 'yauzl';
import type { Archive } from '../archive.ts';
import type { Point } from '../activity.ts';
import { tracksOf } from '../gpx.ts';
import type { Sink } from '../record.ts';
import { orNull } from '../tolerant.ts';
import { MOST_ECG_BYTES, putElectrocardiogram } from './electrocardiogram.ts';

/** A day at one point a second, as Apple writes it. */
const MOST_ROUTE_BYTES = 64 * 1024 * 1024;

/** Each is told before the next is read; a table that is none is counted, as is every other file. */
export async function putElectrocardiograms({ entries, readWhole }: Archive, sink: Sink): Promise<void> {
  for (const entry of entries) {
    const { fileName } = entry;
    if (/\.(xml|gpx)$/i.test(fileName)) continue;
    const type = `files *.${/\.(\w{1,10})$/.exec(fileName)?.[1]?.toLowerCase() ?? 'other'}`;
    if (!/\.csv$/i.test(fileName)) sink.skip(type, 'not_kept');
    else {
      const text = await orNull(() => readWhole(entry, MOST_ECG_BYTES));
      if (text === null || !putElectrocardiogram(text.toString('utf8'), sink)) sink.skip(type, 'unreadable');
    }
    await sink.flush(1);
  }
}

/** The points of a way; null where the archive has no such file, or none that can be read. The rest of the export is still one. */
export async function routeOrNull(archive: Archive, path: string): Promise<Point[] | null> {
  const name = path.split('/').at(-1) ?? '';
  const entry = routesOf(archive).get(name);
  if (name === '' || !entry) return null;
  const bytes = await orNull(() => archive.readWhole(entry, MOST_ROUTE_BYTES));
  if (bytes === null) return null;
  const tracks = await orNull(() => tracksOf({ bytes: bytes.length, chunks: only(bytes) }));
  return tracks?.flatMap(({ points }) => points) ?? null;
}

const known = new WeakMap<Archive, Map<string, Entry>>();

/** By the last part of its name: the folder is called otherwise in other languages. */
function routesOf(archive: Archive): Map<string, Entry> {
  const routes =
    known.get(archive) ??
    new Map(
      archive.entries
        .filter(({ fileName }) => /\.gpx$/i.test(fileName))
        .map((entry) => [entry.fileName.split('/').at(-1) as string, entry]),
    );
  known.set(archive, routes);
  return routes;
}

async function* only(bytes: Buffer): AsyncIterable<Buffer> {
  yield bytes;
}
