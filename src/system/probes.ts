import type { FastifyInstance } from 'fastify';
import type { Ctx } from '../context.ts';
import { AppError } from '../errors.ts';
import { requireReady } from './readiness.ts';

/**
 * Adds the health and readiness checks to a server without operations. A worker serves them on the port of its metrics.
 */
export function registerProbes(server: FastifyInstance, ctx: Ctx): void {
  server.get('/healthz', () => ({ status: 'ok' }));
  server.get('/readyz', async (request, reply) => {
    try {
      await requireReady(ctx);
      return { status: 'ready' };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { code, message } = error;
      return reply.code(503).send({ detail: message, code, request_id: request.id });
    }
  });
}
