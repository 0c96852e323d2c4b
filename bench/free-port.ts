import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// These ports are below the range for outgoing connections. Otherwise such a connection could take the port between our
// check and its use.
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** Returns a port of the loopback address on which nothing listens. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
