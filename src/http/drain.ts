import type { FastifyInstance } from 'fastify';
import type { Logger } from '../log.ts';

const LOOK_MS = 20;

/**
 * Prepares the server for a graceful stop. Call it before the server listens. The returned function closes the server:
 * running requests may take `drainMs`, then it cuts all connections. It waits for requests and not for connections,
 * because clients leave idle connections open, and browsers open some that they never use.
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
    let isLogged = false;
    const look = setInterval(() => {
      const isOver = Date.now() >= deadline;
      if (isOver && requests > 0 && !isLogged) log.warn({ requests }, 'requests that did not end in time are cut off');
      isLogged = isOver;
      if (requests === 0 || isOver) http.closeAllConnections();
    }, LOOK_MS);
    await server.close();
    clearInterval(look);
  };
}
