// The program that reads a PDF, in a process of its own: the file is its input, one line of JSON its output, and it knows
// nothing else. The reading is done by a thread; the process itself only watches how much memory and time that takes,
// since what a PDF unpacks to is no memory of the language's heap, which alone has a bound of its own.
import { buffer } from 'node:stream/consumers';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { readPdf } from './read-pdf.ts';
import type { Said } from './record.ts';

const HEAP_MB = 256;
/** Of the process as a whole, of which about 100 are the language and the reader themselves. */
const MOST_RESIDENT_BYTES = 640 * 1024 * 1024;
/**
 * Computed, not waited: a busy machine is no fault of a file. A hundred pages full of text take two seconds. The reader's
 * states of drawing hang on one another, so that states within states cost their number squared: 20,000 took 12 seconds.
 */
const MOST_CPU_MS = 5_000;
const LOOK_MS = 20;

if (isMainThread) await watch(await buffer(process.stdin));
else {
  // What the reader lets fall beside its work decides nothing: what it returns does.
  process.on('unhandledRejection', () => undefined);
  // Whoever is listened to does not end by itself: what was said is heard first.
  parentPort?.on('message', () => undefined);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(await readPdf(workerData as Uint8Array));
}

/** Says the first that comes of the thread, its failure and its bounds, once: two lines would be none that can be read. */
async function watch(bytes: Buffer): Promise<void> {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: bytes,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    stdout: true,
    stderr: true,
  });
  const said = await new Promise<Said>((resolve) => {
    const fail = (): void => resolve({ failed: 'processing_error' });
    worker.once('message', resolve);
    worker.once('error', fail);
    worker.once('exit', fail);
    setInterval(() => {
      const { user, system } = process.cpuUsage();
      if (process.memoryUsage.rss() > MOST_RESIDENT_BYTES || (user + system) / 1_000 > MOST_CPU_MS) fail();
    }, LOOK_MS);
  });
  process.stdout.end(`${JSON.stringify(said)}\n`, () => process.exit(0));
}
