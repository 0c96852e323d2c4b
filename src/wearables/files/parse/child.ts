// The program that reads a file, in a process of its own: kind, path and bound of what is unpacked are its arguments, lines
// of JSON its output. What a file does to it ends with it.
import { once } from 'node:events';
import { isFailureCode, ImportFailure } from '../failures.ts';
import type { FileKind } from '../file-kind.ts';
import { addSkipped, type Skipped } from '../skipped.ts';
import { parseAppleExport } from './apple/export.ts';
import { openContent, readWhole, type Content } from './content.ts';
import { parseFit } from './fit/read.ts';
import { parseGpx } from './gpx.ts';
import type { ParsedLine, ParsedSample, ParsedSummary, Sink } from './record.ts';
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
  const some = summaries.splice(0, summaries[0]?.item['stream'] ? 1 : SUMMARIES);
  await write({ samples: samples.slice(0, BATCH), summaries: some, skipped, kind, progress: reached });
  [samples, skipped, toldAt] = [samples.slice(BATCH), [], performance.now()];
}

async function tellAll(): Promise<void> {
  while (samples.length > 0 || summaries.length > 0 || skipped.length > 0) await tell();
}

async function write(line: ParsedLine): Promise<void> {
  if (!process.stdout.write(`${JSON.stringify(line)}\n`)) await once(process.stdout, 'drain');
}

const PARSERS: Record<FileKind, (content: Content, sink: Sink) => Promise<void>> = {
  apple_health: parseAppleExport,
  fit: async (content, sink) => parseFit(await readWhole(content), sink),
  tcx: parseTcx,
  gpx: parseGpx,
};

try {
  const [begun, path, expandedBytes] = process.argv.slice(2) as [FileKind, string, string];
  kind = begun;
  await PARSERS[kind](await openContent(path, { kind, expandedBytes: Number(expandedBytes) }), sink);
  await tellAll();
  await write({ done: true });
} catch (error) {
  const failed = error instanceof ImportFailure && isFailureCode(error.code) ? error.code : 'file_broken';
  // What was found before the place that cannot be read is told first.
  await tellAll();
  await write({ failed });
}
