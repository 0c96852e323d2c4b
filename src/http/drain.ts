import type { FastifyInstance } from 'fastify';
import type { Logger } from '../log.ts';

const LOOK_MS = 20;

/**
 * Call before the server listens; the answer closes it: running requests are given `drainMs`, then everything is cut.
 * Requests are counted, since connections tell less: clients keep them open, and browsers open some that they never use.
 */
export function prepareDrain(server: FastifyInstance, log: Logger): (drainMs: number) => Promise<void> {
  const http = server.server;
  let requests = 0;
  http.on('request', (_request, response) => {
    requests += 1;
    response.once('close', () => {
      requests -= 1;
    });
  });
  return async (drainMs) => {
    const deadline = Date.now() + drainMs;
    let isTold = false;
    const look = setInterval(() => {
      const isOver = Date.now() >= deadline;
      if (isOver && requests > 0 && !isTold) log.warn({ requests }, 'requests that did not end in time are cut off');
      isTold = isOver;
      if (requests === 0 || isOver) http.closeAllConnections();
    }, LOOK_MS);
    await server.close();
    clearInterval(look);
  };
}
