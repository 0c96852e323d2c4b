// The parser program, which reads a file. It runs in a process of its own, so that a malicious file cannot harm the
// service. Its arguments are the kind of the file, the path, the most unpacked bytes, and the disk space that must stay
// free. It writes lines of JSON.
import { once } from 'node:events';
import { NOT_LOADED } from '../../../files/parser-process.ts';
import { isFailureCode, ImportFailure } from '../failures.ts';
import type { FileKind } from '../file-kind.ts';
import { addSkipped, type Skipped } from '../skipped.ts';
import { kindOfArchive } from './archive-kind.ts';
import { openArchive, type Archive } from './open-archive.ts';
import { isArchiveAt, openContent, readWhole, refuseLarge } from './content.ts';
import type { ParsedLine, ParsedSample, ParsedSummary, Sink } from './parsed-line.ts';

/** The most samples in one line. The service stores a line in one transaction. */
const BATCH = 500;
/**
 * The most summaries in one line. The service stores several rows and events for each summary. A summary with points
 * gets a line of its own.
 */
const SUMMARIES = 50;
/**
 * After this time the program writes a line, even if it is short. Each line makes the service extend the lease of the
 * import.
 */
const SILENCE_MS = 5_000;

let samples: ParsedSample[] = [];
const summaries: ParsedSummary[] = [];
let skipped: Skipped[] = [];
let kind: FileKind;
let reached = 0;
let writtenAt = performance.now();

const sink: Sink = {
  sample: (sample) => void samples.push(sample),
  summary: (summary) => void summaries.push(summary),
  skip: (type, reason, records = 1) => addSkipped(skipped, { type, reason, records }),
  flush: async (progress) => {
    reached = progress;
    while (samples.length >= BATCH || summaries.length >= SUMMARIES || performance.now() - writtenAt > SILENCE_MS)
      await writeChunk();
  },
};

async function writeChunk(): Promise<void> {
  const streamed = summaries.findIndex(({ item }) => item['stream']);
  const some = summaries.splice(0, streamed === -1 ? SUMMARIES : Math.max(1, Math.min(streamed, SUMMARIES)));
  await write({ samples: samples.slice(0, BATCH), summaries: some, skipped, kind, progress: reached });
  [samples, skipped, writtenAt] = [samples.slice(BATCH), [], performance.now()];
}

async function writeAll(): Promise<void> {
  // The program writes at least one line, because the service learns the kind of the archive from it.
  await writeChunk();
  while (samples.length > 0 || summaries.length > 0 || skipped.length > 0) await writeChunk();
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

type Parser = (source: Source, sink: Sink) => Promise<void>;

/** Loads only the parser of the kind: to load all of them takes longer than to read a small file. */
const PARSERS: Record<FileKind, () => Promise<Parser>> = {
  apple_health: async () => (await import('./apple/parse-apple-export.ts')).parseAppleExport,
  fit: async () => {
    const { parseFit } = await import('./fit/parse-fit.ts');
    return async ({ path }, sink) => parseFit(await readWhole(await openContent(path)), sink);
  },
  tcx: async () => {
    const { parseTcx } = await import('./tcx.ts');
    return async (source, sink) => parseTcx(await workout(source), sink);
  },
  gpx: async () => {
    const { parseGpx } = await import('./gpx.ts');
    return async (source, sink) => parseGpx(await workout(source), sink);
  },
  garmin_export: async () => (await import('./garmin/parse-garmin-export.ts')).parseGarminExport,
  google_takeout: async () => (await import('./google/parse-takeout.ts')).parseTakeout,
  samsung_health: async () => (await import('./samsung/parse-samsung-health.ts')).parseSamsungHealth,
};

try {
  const [begun, path, expandedBytes, reserveBytes] = process.argv.slice(2) as [FileKind, string, string, string];
  kind = begun;
  const bounds = { expandedBytes: Number(expandedBytes), reserveBytes: Number(reserveBytes) };
  const archive = (await isArchiveAt(path)) ? await openArchive(path, bounds) : null;
  if (archive) kind = kindOfArchive(archive);
  const parse = await PARSERS[kind]().catch(() => process.exit(NOT_LOADED));
  await parse({ path, archive }, sink);
  await writeAll();
  await write({ done: true });
} catch (error) {
  const failed = error instanceof ImportFailure && isFailureCode(error.code) ? error.code : 'file_broken';
  // The service stores the data that the parser found before the error, so we write this data first.
  await writeAll();
  await write({ failed });
}
