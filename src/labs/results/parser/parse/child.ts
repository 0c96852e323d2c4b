// The program that reads a PDF, in a process of its own: the file is its input, one line of JSON its output, and it knows
// nothing else. The reading is done by a thread; the process itself only watches how much memory that takes, since what a
// PDF unpacks to is no memory of the language's heap, which alone has a bound of its own.
import { buffer } from 'node:stream/consumers';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { readPdf } from './read-pdf.ts';
import type { Said } from './record.ts';

const HEAP_MB = 256;
/** Of the process as a whole, of which about 100 are the language and the reader themselves. */
const MOST_RESIDENT_BYTES = 640 * 1024 * 1024;
const LOOK_MS = 20;

if (isMainThread) {
  const bytes = await buffer(process.stdin);
  const worker = new Worker(new URL(import.meta.url), {
    workerData: bytes,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    stdout: true,
    stderr: true,
  });
  let said: Said = { failed: 'processing_error' };
  const end = (): void => void process.stdout.write(`${JSON.stringify(said)}\n`, () => process.exit(0));
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() > MOST_RESIDENT_BYTES) end();
  }, LOOK_MS);
  worker.once('message', (message: Said) => {
    said = message;
    clearInterval(watch);
    end();
  });
  worker.once('error', end);
  worker.once('exit', end);
} else {
  // Whoever is listened to does not end by itself: what was said is heard first.
  parentPort?.on('message', () => undefined);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(await readPdf(workerData as Uint8Array));
}
