// Reading a stranger's file is left to a process of its own, with bounds of memory and time and nothing of ours around it:
// no environment, no connection, its output lines of bounded length.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PACKAGE_ROOT } from '../../package-root.ts';
import { ImportFailure, isFailureCode } from './failures.ts';
import type { FileKind } from './file-kind.ts';
import type { ParsedLine } from './parse/record.ts';

const HEAP_MB = 128;
/** A thousand samples are about 200 kB; a workout with 100,000 points is some megabytes. */
const LONGEST_LINE = 16 * 1024 * 1024;

const built = fileURLToPath(new URL('./parse/child.js', import.meta.url));
/** Node runs what was built; from the sources that is the last build. */
const PROGRAM = existsSync(built) ? built : join(PACKAGE_ROOT, 'dist/src/wearables/files/parse/child.js');

export type ParsedPiece = Extract<ParsedLine, { samples: unknown[] }>;

type File = { path: string; kind: FileKind };
type Bounds = { expandedBytes: number; endsAt: number; signal: AbortSignal };

/**
 * What a file holds, piece by piece, no faster than it is taken. Throws ImportFailure where the file or its bounds end it;
 * ends without a word when `signal` does.
 */
export async function* parseFile({ path, kind }: File, bounds: Bounds): AsyncGenerator<ParsedPiece, void, undefined> {
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${HEAP_MB}`, PROGRAM, kind, path, String(bounds.expandedBytes)],
    { stdio: ['ignore', 'pipe', 'ignore'], env: {}, signal: bounds.signal, killSignal: 'SIGKILL' },
  );
  if (child.pid !== undefined) lowerPriority(child.pid);
  const ended = new Promise<string | null>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? (code === 0 ? null : 'exit')));
    child.once('error', () => undefined); // of the signal; what could not be started closes, too
  });
  let isLate = false;
  const timer = setTimeout(
    () => {
      isLate = true;
      child.kill('SIGKILL');
    },
    Math.max(0, bounds.endsAt - Date.now()),
  );
  try {
    let isDone = false;
    for await (const line of linesOf(child.stdout)) {
      const said = parse(line);
      if ('failed' in said) throw new ImportFailure(isFailureCode(said.failed) ? said.failed : 'file_broken');
      if ('done' in said) isDone = true;
      else yield said;
      if (isLate) break;
    }
    if (isLate) throw new ImportFailure('took_too_long');
    const end = await ended;
    if (bounds.signal.aborted) return;
    // A heap that is full ends the process by a signal of its own, as does a machine without memory.
    if (!isDone) throw new ImportFailure(end === 'exit' || end === null ? 'file_broken' : 'too_complex');
  } finally {
    clearTimeout(timer);
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
  }
}

/** Whoever waits for an answer goes before whoever reads a file. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already.
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
  const { samples, summaries, skipped, progress } = said;
  const areLists = Array.isArray(samples) && Array.isArray(summaries);
  if (!areLists || !Number.isSafeInteger(skipped) || typeof progress !== 'number' || progress > 1)
    throw new ImportFailure('file_broken');
  return { samples, summaries, skipped: Math.max(0, skipped as number), progress: Math.max(0, progress) };
}
