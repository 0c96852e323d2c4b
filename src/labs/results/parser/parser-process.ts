// Reading a stranger's PDF is left to a process of its own, with bounds of memory and time and nothing of ours around it: no
// environment, no connection, no file, its output of bounded length and of a shape that is checked.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { PACKAGE_ROOT } from '../../../package-root.ts';
import { nullable, oneOf } from '../../../wire/schema.ts';
import type { FailureReason } from './finish-job.ts';
import { LONGEST_TEXT, MOST_ROWS, type ReadReport, type Said } from './parse/record.ts';

const HEAP_MB = 128;
const MOST_MS = 30_000;
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

/** What the text of a PDF says. Throws ReportFailure where the file or its bounds end it. */
export async function parsePdf(
  content: AsyncIterable<Buffer>,
  { signal, program = PROGRAM, mostMs = MOST_MS }: { signal: AbortSignal; program?: string; mostMs?: number },
): Promise<ReadReport> {
  const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, program], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {},
    signal,
    killSignal: 'SIGKILL',
    timeout: mostMs,
  });
  child.on('error', () => undefined); // of the signal; what could not be started closes, too
  if (child.pid !== undefined) lowerPriority(child.pid);
  const closed = once(child, 'close');
  try {
    const [said] = await Promise.all([outputOf(child), feed(child, content)]);
    // Its output has ended, which says all: how the process itself ends, and when, decides nothing.
    return reportOf(said);
  } finally {
    child.kill('SIGKILL');
    await closed;
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

/** Whoever waits for an answer goes before whoever reads a file. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already.
  }
}
