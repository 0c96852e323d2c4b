import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { AppError } from '../../../errors.ts';
import type { Drawing } from './draw-document.ts';
import type { DrawingResponse, DrawingRequest } from './thread.ts';

/** The number of threads. They leave one processor free for HTTP requests. */
export const MAX_THREADS = Math.max(1, Math.min(2, availableParallelism() - 1));
/**
 * The time limit of one document. A report with the most values that we allow takes some seconds, even while the thread
 * draws other documents too.
 */
const LONGEST_MS = 120_000;
const HEAP_MB = 256;

type WaitingDrawing = { done: (bytes: Buffer) => void; failed: (error: unknown) => void; timer: NodeJS.Timeout };
type Thread = { worker: Worker; waiting: Map<number, WaitingDrawing> };

/**
 * Threads that draw documents, so that the process can respond to requests meanwhile. The first document starts a
 * thread.
 */
export class DrawingThreads {
  readonly #program: URL;
  readonly #threads = new Set<Thread>();
  #asked = 0;

  constructor(program: URL) {
    this.#program = program;
  }

  get size(): number {
    return this.#threads.size;
  }

  /**
   * Draws a document in the thread that has the least work. Throws the error of the drawing, or not_ready if the thread
   * ended.
   */
  draw(drawing: Drawing): Promise<Buffer> {
    const thread = this.#leastBusy();
    const id = (this.#asked += 1);
    return new Promise((done, failed) => {
      const timer = setTimeout(() => void thread.worker.terminate(), LONGEST_MS);
      thread.waiting.set(id, { done, failed, timer });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      thread.worker.postMessage({ id, drawing } satisfies DrawingRequest);
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  #leastBusy(): Thread {
    let found: Thread | null = null;
    for (const thread of this.#threads) if (!found || thread.waiting.size < found.waiting.size) found = thread;
    return found && (found.waiting.size === 0 || this.#threads.size >= MAX_THREADS) ? found : this.#start();
  }

  #start(): Thread {
    const worker = new Worker(this.#program, {
      execArgv: ['--enable-source-maps'], // the frames of an error name the sources, not the bundle
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    const thread: Thread = { worker, waiting: new Map() };
    this.#threads.add(thread);
    worker.on('message', (answered: DrawingResponse) => resolveWaiting(thread, answered));
    // A thread whose memory is full emits this error, and then the exit event.
    worker.on('error', () => this.#threads.delete(thread));
    worker.once('exit', () => {
      this.#threads.delete(thread);
      const refusal = new AppError('not_ready', 'This document could not be drawn now. Ask for it again shortly.');
      for (const id of thread.waiting.keys()) take(thread, id)?.failed(refusal);
    });
    // An idle thread must not keep the process alive after everything else has ended. A request that waits for a
    // document keeps it alive.
    worker.unref();
    return thread;
  }
}

function take({ waiting }: Thread, id: number): WaitingDrawing | undefined {
  const found = waiting.get(id);
  clearTimeout(found?.timer);
  waiting.delete(id);
  return found;
}

function resolveWaiting(thread: Thread, answered: DrawingResponse): void {
  const waiting = take(thread, answered.id);
  if (!waiting) return;
  if ('bytes' in answered) {
    const { buffer, byteOffset, byteLength } = answered.bytes;
    waiting.done(Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength));
  } else if ('refusal' in answered) waiting.failed(new AppError(answered.refusal.code, answered.refusal.message));
  else waiting.failed(errorOf(answered));
}

function errorOf({ name, frames }: { name: string; frames: string }): Error {
  const error = new Error(`A document could not be drawn: ${name}`);
  error.stack = `${error.message}\n${frames}`;
  return error;
}

/**
 * Returns the built program of a thread; null if the service runs from its sources, because they contain no built
 * program.
 */
export const threadProgram = (): URL | null =>
  fileURLToPath(import.meta.url).endsWith('.js') ? new URL('./thread.js', import.meta.url) : null;
