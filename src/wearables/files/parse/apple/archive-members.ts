// The other files in the archive of an Apple export: electrocardiograms, and the routes of workouts.
import type { Entry } from 'yauzl';
import type { Archive } from '../open-archive.ts';
import type { Point } from '../put-activity.ts';
import { tracksOf } from '../gpx.ts';
import type { Sink } from '../parsed-line.ts';
import { orNull } from '../or-null.ts';
import { MAX_ECG_BYTES, putElectrocardiogram } from './put-electrocardiogram.ts';

/** The largest file of a route in bytes. A route of a whole day with one point a second fits. */
const MAX_ROUTE_BYTES = 64 * 1024 * 1024;

/**
 * Reads the electrocardiograms one after the other, and passes each on before it reads the next. Counts tables that are
 * no electrocardiograms, and all other files, as skipped.
 */
export async function putElectrocardiograms({ entries, readWhole }: Archive, sink: Sink): Promise<void> {
  for (const entry of entries) {
    const { fileName } = entry;
    if (/\.(xml|gpx)$/i.test(fileName)) continue;
    const type = `files *.${/\.(\w{1,10})$/.exec(fileName)?.[1]?.toLowerCase() ?? 'other'}`;
    if (!/\.csv$/i.test(fileName)) sink.skip(type, 'not_kept');
    else {
      const text = await orNull(() => readWhole(entry, MAX_ECG_BYTES));
      if (text === null || !putElectrocardiogram(text.toString('utf8'), sink)) sink.skip(type, 'unreadable');
    }
    await sink.flush(1);
  }
}

/**
 * Returns the points of a route. Returns null if the archive has no such file or if the file cannot be read. Then the
 * workout is imported without its route.
 */
export async function routeOrNull(archive: Archive, path: string): Promise<Point[] | null> {
  const name = path.split('/').at(-1) ?? '';
  const entry = routesOf(archive).get(name);
  if (name === '' || !entry) return null;
  const bytes = await orNull(() => archive.readWhole(entry, MAX_ROUTE_BYTES));
  if (bytes === null) return null;
  const tracks = await orNull(() => tracksOf({ bytes: bytes.length, chunks: only(bytes) }));
  return tracks?.flatMap(({ points }) => points) ?? null;
}

const known = new WeakMap<Archive, Map<string, Entry>>();

/**
 * Returns the route files of the archive by their names without the folder. The name of the folder depends on the
 * language of the phone.
 */
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
