import type { IncomingMessage } from 'node:http';

const MAX_BYTES = 64 * 1024 * 1024;
const LONGEST_MS = 2_000;

/**
 * Reads and discards the rest of a refused body, within limits. Otherwise a client that is still sending might not read
 * our response.
 */
export function drainBody(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const timer = setTimeout(resolve, LONGEST_MS);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    if (request.complete || request.destroyed) return done();
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) done();
    });
    request.once('end', done).once('close', done).once('error', done);
    request.resume();
  });
}
