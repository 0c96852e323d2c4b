// The program that reads a PDF. It runs in a separate process, which gets only the file as its input and writes one
// line of JSON. In this process a thread reads the file, and the main thread limits memory and time. A limit for the
// JavaScript heap is not enough, because the data that the PDF library unpacks are outside the heap.
import { buffer } from 'node:stream/consumers';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { readPdf } from './read-pdf.ts';
import type { ParserOutput } from './read-report.ts';

const HEAP_MB = 256;
/** The maximum memory of the entire process. Node and the PDF library need about 100 MiB of it. */
const MAX_RESIDENT_BYTES = 640 * 1024 * 1024;
/**
 * The maximum processor time. We do not limit elapsed time here, because a good file may take long on a busy machine. A
 * hundred pages full of text take two seconds of processor time. A bad file may nest drawing states. Twice as many
 * states take four times as long: 20,000 of them take 12 seconds.
 */
const MAX_CPU_MS = 5_000;
const LOOK_MS = 20;

if (isMainThread) await watch(await buffer(process.stdin));
else {
  // The PDF library may reject promises that nobody awaits. We ignore them, because we use only its result.
  process.on('unhandledRejection', () => undefined);
  // This listener keeps the thread alive until the main thread has read the message.
  parentPort?.on('message', () => undefined);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(await readPdf(workerData as Uint8Array));
}

/**
 * Writes the result of the thread, or an error if the thread fails or exceeds a limit. It writes only the first of
 * these, because the parent process expects exactly one line.
 */
async function watch(bytes: Buffer): Promise<void> {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: bytes,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    stdout: true,
    stderr: true,
  });
  const said = await new Promise<ParserOutput>((resolve) => {
    const fail = (): void => resolve({ failed: 'processing_error' });
    worker.once('message', resolve);
    worker.once('error', fail);
    worker.once('exit', fail);
    setInterval(() => {
      const { user, system } = process.cpuUsage();
      if (process.memoryUsage.rss() > MAX_RESIDENT_BYTES || (user + system) / 1_000 > MAX_CPU_MS) fail();
    }, LOOK_MS);
  });
  process.stdout.end(`${JSON.stringify(said)}\n`, () => process.exit(0));
}
