// Runs the process that reads a PDF. A malicious file may take control of this process. So we do not trust its output:
// we limit the length and check the shape.
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
import { LONGEST_TEXT, MAX_ROWS, MAX_UNREAD_LINES, type ReadReport, type ParserOutput } from './parse/read-report.ts';

/** The maximum processor time. A report of a hundred pages takes a few seconds. */
const MAX_CPU_SECONDS = 20;
/**
 * The maximum elapsed time, for a process that only waits and uses no processor time. With this limit, we can read all
 * files of a job within the job's lease.
 */
const MAX_MS = 35_000;
/** The maximum size of the output. It is enough for the maximum number of rows if every text has its maximum length. */
const MAX_OUTPUT_BYTES = 1024 * 1024;

const built = fileURLToPath(new URL('./parse/child.js', import.meta.url));
/**
 * The path of the built program, which Node runs. If we run from the sources, we use the program from the last build.
 */
const PROGRAM = existsSync(built) ? built : join(PACKAGE_ROOT, 'dist/src/labs/results/parser/parse/child.js');

/** The reason why we could not read a report. It contains no data from the file. */
export class ReportFailure extends Error {
  readonly reason: FailureReason;

  constructor(reason: FailureReason) {
    super(reason);
    this.name = 'ReportFailure';
    this.reason = reason;
  }
}

const text = nullable(Type.String({ maxLength: LONGEST_TEXT }));
/**
 * The shape of the output. A malicious file may take control of the process and make it write anything, so we check the
 * output.
 */
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
    { maxItems: MAX_ROWS },
  ),
  unread: Type.Integer({ minimum: 0 }),
  unread_lines: Type.Array(Type.String({ maxLength: LONGEST_TEXT }), { maxItems: MAX_UNREAD_LINES }),
});

type Bounds = { signal: AbortSignal; program?: string; cpuSeconds?: number; maxMs?: number };

/**
 * Reads the text of a PDF and returns it as a report. Throws ReportFailure if the file is damaged or exceeds the
 * bounds.
 */
export async function parsePdf(
  content: AsyncIterable<Buffer>,
  { signal, program = PROGRAM, cpuSeconds = MAX_CPU_SECONDS, maxMs = MAX_MS }: Bounds,
): Promise<ReadReport> {
  const { child, end } = startParser([program], { cpuSeconds, signal, takesInput: true });
  const late = setTimeout(() => child.kill('SIGKILL'), maxMs);
  try {
    const [said] = await Promise.all([outputOf(child), feed(child, content)]);
    // The output is complete, so the exit code of the process does not matter.
    return reportOf(said);
  } finally {
    clearTimeout(late);
    await end();
  }
}

/**
 * Writes the content to the standard input of the process. The process may end before it has read everything, and this
 * is no error. Throws the errors of reading the content.
 */
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
    if (bytes > MAX_OUTPUT_BYTES) throw new ReportFailure('processing_error');
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Parses the output. Throws ReportFailure if there is none, for example because we ended the process after it had
 * exceeded its time or memory.
 */
function reportOf(line: string): ReadReport {
  let said: ParserOutput;
  try {
    said = JSON.parse(line) as ParserOutput;
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
