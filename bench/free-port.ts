import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the range of ports for outgoing connections: one of those may take a port between our check and its use.
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** A port of loopback on which nothing listens. */
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
