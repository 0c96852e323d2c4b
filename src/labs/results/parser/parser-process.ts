// What a PDF says, as the process says that reads it. A file can have turned that process against us: its output is of bounded
// length and of a shape that is checked.
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { startParser } from '../../../files/parser-process.ts';
import { PACKAGE_ROOT } from '../../../package-root.ts';
import { nullable, oneOf } from '../../../wire/schema.ts';
import type { FailureReason } from './finish-job.ts';
import { LONGEST_TEXT, MOST_ROWS, type ReadReport, type Said } from './parse/record.ts';

/** Of processor time; a report of a hundred pages takes a few. */
const MOST_CPU_SECONDS = 20;
/** Of one that waits and does nothing. All files of a job end within its lease. */
const MOST_MS = 35_000;
/** As many rows as are taken, with every text as long as it may be. */
const MOST_OUTPUT_BYTES = 1024 * 1024;

const built = fileURLToPath(new URL('./parse/child.js', import.meta.url));
/** Node runs what was built; from the sources that is the last build. */
const PROGRAM = existsSync(built) ? built : join(PACKAGE_ROOT, 'dist/src/labs/results/parser/parse/child.js');

/** Why a report could not be read; nothing of the file is in it. */
export class ReportFailure extends Error {
  readonly reason: FailureReason;

  constructor(reason: FailureReason) {
    super(reason);
    this.name = 'ReportFailure';
    this.reason = reason;
  }
}

const text = nullable(Type.String({ maxLength: LONGEST_TEXT }));
/** A process that a file has turned against us may write what it likes. */
const Report = Type.Object({
  header: Type.Object({
    patient_first_name: text,
    patient_last_name: text,
    dob: text,
    gender: nullable(oneOf(['male', 'female'])),
    lab_name: text,
    date_reported: text,
    date_collected: text,
    specimen_number: text,
  }),
  rows: Type.Array(
    Type.Object({
      name: Type.String({ minLength: 1, maxLength: LONGEST_TEXT }),
      value: Type.String({ minLength: 1, maxLength: LONGEST_TEXT }),
      unit: text,
      range: text,
      flag: text,
      panel: text,
    }),
    { maxItems: MOST_ROWS },
  ),
  unread: Type.Integer({ minimum: 0 }),
});

type Bounds = { signal: AbortSignal; program?: string; cpuSeconds?: number; mostMs?: number };

/** What the text of a PDF says. Throws ReportFailure where the file or its bounds end it. */
export async function parsePdf(
  content: AsyncIterable<Buffer>,
  { signal, program = PROGRAM, cpuSeconds = MOST_CPU_SECONDS, mostMs = MOST_MS }: Bounds,
): Promise<ReadReport> {
  const { child, end } = startParser([program], { cpuSeconds, signal, takesInput: true });
  const late = setTimeout(() => child.kill('SIGKILL'), mostMs);
  try {
    const [said] = await Promise.all([outputOf(child), feed(child, content)]);
    // Its output has ended, which says all: how the process itself ends, and when, decides nothing.
    return reportOf(said);
  } finally {
    clearTimeout(late);
    await end();
  }
}

/** A child that has ended takes no more; what the content itself fails with is thrown. */
async function feed({ stdin }: ChildProcess, content: AsyncIterable<Buffer>): Promise<void> {
  let failure: { error: unknown } | null = null;
  async function* watched(): AsyncGenerator<Buffer, void, undefined> {
    try {
      yield* content;
    } catch (error) {
      failure = { error };
      throw error;
    }
  }
  await pipeline(Readable.from(watched()), stdin as NonNullable<typeof stdin>).catch(() => undefined);
  const failed = failure as { error: unknown } | null;
  if (failed) throw failed.error;
}

async function outputOf({ stdout }: ChildProcess): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MOST_OUTPUT_BYTES) throw new ReportFailure('processing_error');
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A process that was ended, by the time or by its memory, has said nothing. */
function reportOf(line: string): ReadReport {
  let said: Said;
  try {
    said = JSON.parse(line) as Said;
  } catch {
    throw new ReportFailure('processing_error');
  }
  if ('failed' in said) {
    throw new ReportFailure(
      said.failed === 'invalid_input' || said.failed === 'too_many_pages' ? said.failed : 'processing_error',
    );
  }
  if (!Value.Check(Report, said.report)) throw new ReportFailure('processing_error');
  return said.report;
}
