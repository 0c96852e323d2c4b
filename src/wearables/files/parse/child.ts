// The program that reads a file, in a process of its own: kind, path, bound of what is unpacked and
// the disk space to leave free are its arguments, lines of JSON its output. What a file does to it ends with it.
import { once } from 'node:events';
import { isFailureCode, ImportFailure } from '../failures.ts';
import type { FileKind } from '../file-kind.ts';
import { addSkipped, type Skipped } from '../skipped.ts';
import { parseAppleExport } from './apple/export.ts';
import { kindOfArchive } from './archive-kind.ts';
import { openArchive, type Archive } from './archive.ts';
import { isArchiveAt, openContent, readWhole, refuseLarge } from './content.ts';
import { parseFit } from './fit/read.ts';
import { parseGarminExport } from './garmin/export.ts';
import { parseTakeout } from './google/takeout.ts';
import { parseGpx } from './gpx.ts';
import type { ParsedLine, ParsedSample, ParsedSummary, Sink } from './record.ts';
import { parseSamsungHealth } from './samsung/export.ts';
import { parseTcx } from './tcx.ts';

/** So many are stored in one transaction. */
const BATCH = 500;
/** Each is some rows and events; one with its points is a line of its own. */
const SUMMARIES = 50;
/** After so long something is told even where little was found, so that the import is seen to live. */
const SILENCE_MS = 5_000;

let samples: ParsedSample[] = [];
const summaries: ParsedSummary[] = [];
let skipped: Skipped[] = [];
let kind: FileKind;
let reached = 0;
let toldAt = performance.now();

const sink: Sink = {
  sample: (sample) => void samples.push(sample),
  summary: (summary) => void summaries.push(summary),
  skip: (type, reason, records = 1) => addSkipped(skipped, { type, reason, records }),
  flush: async (progress) => {
    reached = progress;
    while (samples.length >= BATCH || summaries.length >= SUMMARIES || performance.now() - toldAt > SILENCE_MS)
      await tell();
  },
};

async function tell(): Promise<void> {
  const streamed = summaries.findIndex(({ item }) => item['stream']);
  const some = summaries.splice(0, streamed === -1 ? SUMMARIES : Math.max(1, Math.min(streamed, SUMMARIES)));
  await write({ samples: samples.slice(0, BATCH), summaries: some, skipped, kind, progress: reached });
  [samples, skipped, toldAt] = [samples.slice(BATCH), [], performance.now()];
}

async function tellAll(): Promise<void> {
  // Once at least, as the kind of an archive is known only now.
  await tell();
  while (samples.length > 0 || summaries.length > 0 || skipped.length > 0) await tell();
}

async function write(line: ParsedLine): Promise<void> {
  if (!process.stdout.write(`${JSON.stringify(line)}\n`)) await once(process.stdout, 'drain');
}

type Source = { path: string; archive: Archive | null };

const workout = async ({ path }: Source) => {
  const content = await openContent(path);
  refuseLarge(content.bytes);
  return content;
};

const PARSERS: Record<FileKind, (source: Source, sink: Sink) => Promise<void>> = {
  apple_health: parseAppleExport,
  fit: async ({ path }, sink) => parseFit(await readWhole(await openContent(path)), sink),
  tcx: async (source, sink) => parseTcx(await workout(source), sink),
  gpx: async (source, sink) => parseGpx(await workout(source), sink),
  garmin_export: parseGarminExport,
  google_takeout: parseTakeout,
  samsung_health: parseSamsungHealth,
};

try {
  const [begun, path, expandedBytes, reserveBytes] = process.argv.slice(2) as [FileKind, string, string, string];
  kind = begun;
  const bounds = { expandedBytes: Number(expandedBytes), reserveBytes: Number(reserveBytes) };
  const archive = (await isArchiveAt(path)) ? await openArchive(path, bounds) : null;
  if (archive) kind = kindOfArchive(archive);
  await PARSERS[kind]({ path, archive }, sink);
  await tellAll();
  await write({ done: true });
} catch (error) {
  const failed = error instanceof ImportFailure && isFailureCode(error.code) ? error.code : 'file_broken';
  // What was found before the place that cannot be read is told first.
  await tellAll();
  await write({ failed });
}
