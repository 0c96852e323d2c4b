// What a file holds, as the process says that reads it. A file can have turned that process against us: its lines are of bounded
// length and of a shape that is checked.
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startParser } from '../../files/parser-process.ts';
import { PACKAGE_ROOT } from '../../package-root.ts';
import { ImportFailure, isFailureCode } from './failures.ts';
import { isFileKind, type FileKind } from './file-kind.ts';
import type { ParsedLine } from './parse/record.ts';
import { isSkipped } from './skipped.ts';

/** A thousand samples are about 200 kB; a workout with 100,000 points is some megabytes. */
const LONGEST_LINE = 16 * 1024 * 1024;

const built = fileURLToPath(new URL('./parse/child.js', import.meta.url));
/** Node runs what was built; from the sources that is the last build. */
const PROGRAM = existsSync(built) ? built : join(PACKAGE_ROOT, 'dist/src/wearables/files/parse/child.js');

export type ParsedPiece = Extract<ParsedLine, { samples: unknown[] }>;

type File = { path: string; kind: FileKind };
/** `work` is what is left of the time that an import may take; who stores its pieces takes from it too. */
type Bounds = {
  expandedBytes: number;
  reserveBytes: number;
  cpuSeconds: number;
  work: { leftMs: number };
  signal: AbortSignal;
};

/**
 * What a file holds, piece by piece, no faster than it is taken. Throws ImportFailure where the file or its bounds end it;
 * ends without a word when `signal` does.
 */
export async function* parseFile({ path, kind }: File, bounds: Bounds): AsyncGenerator<ParsedPiece, void, undefined> {
  const { expandedBytes, reserveBytes, work, signal } = bounds;
  const parser = startParser([PROGRAM, kind, path, String(expandedBytes), String(reserveBytes)], bounds);
  try {
    let isDone = false;
    const lines = linesOf(parser.child.stdout as AsyncIterable<Buffer>);
    for (;;) {
      const next = await within(work, parser.child, () => lines.next());
      if (next.done) break;
      const said = parse(next.value);
      if ('failed' in said) throw new ImportFailure(isFailureCode(said.failed) ? said.failed : 'file_broken');
      if ('done' in said) isDone = true;
      else yield said;
    }
    const end = await parser.ended;
    if (signal.aborted || isDone) return;
    if (end === 'out_of_time') throw new ImportFailure('took_too_long');
    throw new ImportFailure(end === 'out_of_memory' ? 'too_complex' : 'file_broken');
  } finally {
    await parser.end();
  }
}

/** Waits for the process in the time that is left, of which it takes what it lasts. */
async function within<T>(work: { leftMs: number }, child: ChildProcess, wait: () => Promise<T>): Promise<T> {
  const begin = performance.now();
  let isLate = work.leftMs <= 0;
  const late = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, work.leftMs);
  try {
    const waited = isLate ? undefined : await wait();
    if (waited === undefined || isLate) throw new ImportFailure('took_too_long');
    return waited;
  } finally {
    clearTimeout(late);
    work.leftMs -= performance.now() - begin;
  }
}

async function* linesOf(stdout: AsyncIterable<Buffer>): AsyncGenerator<string, void, undefined> {
  let rest: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdout) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      yield Buffer.concat([...rest, chunk.subarray(from, end)]).toString('utf8');
      [rest, bytes, from] = [[], 0, end + 1];
    }
    rest.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > LONGEST_LINE) throw new ImportFailure('file_broken');
  }
}

/** A process that a file has turned against us may write what it likes. */
function parse(line: string): ParsedLine {
  let said: Partial<{
    samples: unknown;
    summaries: unknown;
    skipped: unknown;
    kind: unknown;
    progress: unknown;
    done: unknown;
    failed: unknown;
  }>;
  try {
    said = JSON.parse(line) as object;
  } catch {
    throw new ImportFailure('file_broken');
  }
  if (typeof said.failed === 'string') return { failed: said.failed };
  if (said.done === true) return { done: true };
  const { samples, summaries, skipped, kind, progress } = said;
  const areLists = Array.isArray(samples) && Array.isArray(summaries) && Array.isArray(skipped);
  if (!areLists || !skipped.every(isSkipped) || !isFileKind(kind) || typeof progress !== 'number' || progress > 1)
    throw new ImportFailure('file_broken');
  return { samples, summaries, skipped, kind, progress: Math.max(0, progress) };
}
