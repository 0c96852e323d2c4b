// Parses Garmin's archive of all data of a person (`DI_CONNECT`). It has the files that the person's devices sent, in
// archives within the archive, and JSON files of days, nights and workouts.
import type { Archive } from '../open-archive.ts';
import { nameOfLeftOut } from '../archive-kind.ts';
import { ImportFailure } from '../../failures.ts';
import { kindOfFile } from '../../file-kind.ts';
import { parseFit } from '../fit/parse-fit.ts';
import { parseGpx } from '../gpx.ts';
import type { Sink } from '../parsed-line.ts';
import { parseTcx } from '../tcx.ts';
import { orNull } from '../or-null.ts';
import { activityOf, dayOf, nightOfGarmin, type GarminRecord } from './map-records.ts';

const FOLDER = /(^|\/)DI_CONNECT\/(?:DI-Connect-[A-Za-z-]+\/)/;
/**
 * The largest JSON file in bytes. The process has the complete file in memory. The workouts of twenty years have some
 * ten megabytes.
 */
const MAX_JSON_BYTES = 24 * 1024 * 1024;
const MAX_FILE_BYTES = 32 * 1024 * 1024;

const DOCUMENTS: { name: RegExp; list: string | null; of: (record: GarminRecord) => ReturnType<typeof dayOf> }[] = [
  { name: /UDSFile_[^/]*\.json$/, list: null, of: dayOf },
  { name: /_sleepData\.json$/, list: null, of: nightOfGarmin },
  { name: /_summarizedActivities\.json$/, list: 'summarizedActivitiesExport', of: activityOf },
];

export async function parseGarminExport({ archive }: { archive: Archive | null }, sink: Sink): Promise<void> {
  if (!archive) throw new ImportFailure('file_broken');
  /**
   * The starts, in seconds, of workouts that we have read from files of devices. We skip the JSON of these workouts,
   * which contains less.
   */
  const begun = new Set<number>();
  const noting: Sink = {
    ...sink,
    summary: (summary) => {
      if (summary.resource === 'workouts') begun.add(secondOf(summary.item['time_start']));
      sink.summary(summary);
    },
  };
  // Reads the inner archives first. They have the files of devices, which decide what workouts are read from JSON.
  const ordered = archive.entries.toSorted((a, b) => Number(isZip(b.fileName)) - Number(isZip(a.fileName)));
  for (const [n, entry] of ordered.entries()) {
    const { fileName } = entry;
    const document = DOCUMENTS.find(({ name }) => FOLDER.test(fileName) && name.test(fileName));
    const left = nameOfLeftOut(fileName, { folder: FOLDER });
    if (isZip(fileName) && /DI-Connect-Uploaded-Files/.test(fileName)) {
      const read = await orNull(async () => {
        await archive.within(entry, (uploads) => readUploads(uploads, noting));
        return true;
      });
      if (!read) sink.skip(left, 'unreadable');
    } else if (document) {
      const list = await orNull(async () => listOf(await archive.readWhole(entry, MAX_JSON_BYTES), document.list));
      if (!list) sink.skip(left, 'unreadable');
      for (const record of list ?? []) {
        const summary = document.of(record);
        if (!summary) sink.skip(left, 'empty');
        else if (summary.resource !== 'workouts' || !isKnown(begun, summary.item['time_start'])) sink.summary(summary);
        await sink.flush(n / ordered.length);
      }
    } else sink.skip(left, 'not_kept');
    await sink.flush(n / ordered.length);
  }
}

const isZip = (name: string): boolean => /\.zip$/i.test(name);
const secondOf = (time: unknown): number => Math.floor(Date.parse(String(time)) / 1_000);
const isKnown = (begun: Set<number>, time: unknown): boolean =>
  [-2, -1, 0, 1, 2].some((away) => begun.has(secondOf(time) + away));

/** Reads the files that devices sent. A file that cannot be read counts as skipped. */
async function readUploads(uploads: Archive, sink: Sink): Promise<void> {
  for (const entry of uploads.entries) {
    const bytes = await orNull(() => uploads.readWhole(entry, MAX_FILE_BYTES));
    const kind = bytes && kindOfFile(bytes.subarray(0, 4_096));
    const content = { bytes: bytes?.length ?? 0, chunks: only(bytes ?? Buffer.alloc(0)) };
    const read = await orNull(async () => {
      if (kind === 'fit') await parseFit(bytes as Buffer, sink);
      else if (kind === 'tcx') await parseTcx(content, sink);
      else if (kind === 'gpx') await parseGpx(content, sink);
      else throw new ImportFailure('file_broken');
      return true;
    });
    if (!read) sink.skip('uploaded files', 'unreadable');
    await sink.flush(0.5);
  }
}

async function* only(bytes: Buffer): AsyncIterable<Buffer> {
  yield bytes;
}

function listOf(bytes: Buffer, name: string | null): GarminRecord[] {
  let document: unknown;
  try {
    document = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new ImportFailure('file_broken');
  }
  const items = (Array.isArray(document) ? document : [document]) as (GarminRecord | null)[];
  const lists = name === null ? items : items.flatMap((item) => (item?.[name] as GarminRecord[] | undefined) ?? []);
  return lists.filter((record): record is GarminRecord => typeof record === 'object' && record !== null);
}
