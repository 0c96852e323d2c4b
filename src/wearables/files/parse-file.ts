// Reads the output of the parser process. A malicious file may take control of that process. So we limit the length of
// its lines and check their shape.
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startParser } from '../../files/parser-process.ts';
import { PACKAGE_ROOT } from '../../package-root.ts';
import { ImportFailure, isFailureCode } from './failures.ts';
import { isFileKind, type FileKind } from './file-kind.ts';
import type { ParsedLine } from './parse/parsed-line.ts';
import { isSkipped } from './skipped.ts';

/**
 * The longest line that we accept, in bytes. A line of a thousand samples has about 200 kB, and a workout with 100,000
 * points some megabytes.
 */
const LONGEST_LINE = 16 * 1024 * 1024;

const built = fileURLToPath(new URL('./parse/child.js', import.meta.url));
/**
 * The path of the built parser program. If this module runs from the sources, for example in tests, Node starts the
 * program of the last build.
 */
const PROGRAM = existsSync(built) ? built : join(PACKAGE_ROOT, 'dist/src/wearables/files/parse/child.js');

export type ParsedChunk = Extract<ParsedLine, { samples: unknown[] }>;

type File = { path: string; kind: FileKind };
/**
 * The limits of an import. `work.leftMs` is the time that the import may still take. The caller also subtracts the time
 * in which it stores chunks.
 */
type Bounds = {
  expandedBytes: number;
  reserveBytes: number;
  cpuSeconds: number;
  work: { leftMs: number };
  signal: AbortSignal;
};

/**
 * Yields the contents of a file in chunks, as fast as the caller takes them. Throws ImportFailure if the file cannot be
 * read or exceeds a limit. Throws another error for a fault of ours, after which the caller tries again. Ends without
 * an error if `signal` aborts.
 */
export async function* parseFile({ path, kind }: File, bounds: Bounds): AsyncGenerator<ParsedChunk, void, undefined> {
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
    if (end === 'not_loaded') throw new Error('The parser program could not load its modules.');
    if (end === 'out_of_time') throw new ImportFailure('took_too_long');
    throw new ImportFailure(end === 'out_of_memory' ? 'too_complex' : 'file_broken');
  } finally {
    await parser.end();
  }
}

/** Waits for the parser process, at most for `work.leftMs`, and subtracts the time that it waited. */
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

/**
 * Parses a line and checks its shape. The line may be anything if a malicious file has taken control of the parser
 * process.
 */
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
