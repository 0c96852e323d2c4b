import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the ports that outgoing connections are given: one of those may take a port between our look and its use.
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** A port of loopback that nobody listens on. */
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
