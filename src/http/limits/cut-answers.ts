// A client sees of a stream that is not whole only that its connection was cut. Why is in the log.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, StreamEnded } from '../../errors.ts';
import type { Logger } from '../../log.ts';

/** Tells in the log why the service cut off an answer. */
export function logCut(log: Logger, request: FastifyRequest, cut: { reason: string; err?: unknown }): void {
  const operation = request.routeOptions.config.endpoint?.id;
  log.warn({ ...cut, request_id: request.id, operation }, 'an answer was cut off before its end');
}

/** Tells of each stream that what makes it ended before its end. A client that hung up ends it without an error. */
export function tellOfStreamsThatFail(server: FastifyInstance, log: Logger): void {
  server.addHook('onSend', async (request, _reply, payload) => {
    if (payload instanceof Readable) payload.once('error', (err) => logCut(log, request, told(err)));
  });
}

/** What nobody foresaw is told with its place in the program. */
function told(err: unknown): { reason: string; err?: unknown } {
  if (err instanceof StreamEnded) return { reason: err.reason };
  if (err instanceof AppError) return { reason: err.code };
  return { reason: 'unexpected_error', err };
}
