// When we cut a stream, the client learns only that its connection closed. Our log has the reason.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, StreamEnded } from '../../errors.ts';
import type { Logger } from '../../log.ts';

/** Logs the reason for which this service cut a response. */
export function logCut(log: Logger, request: FastifyRequest, cut: { reason: string; err?: unknown }): void {
  const operation = request.routeOptions.config.operation?.id;
  log.warn({ ...cut, request_id: request.id, operation }, 'a response was cut off before its end');
}

/**
 * Logs each stream whose source failed. If a client disconnects, the stream ends without an error and is not logged.
 */
export function logFailedStreams(server: FastifyInstance, log: Logger): void {
  server.addHook('onSend', async (request, _reply, payload) => {
    if (payload instanceof Readable) payload.once('error', (err) => logCut(log, request, reasonOf(err)));
  });
}

/** For an unexpected error we also log the stack trace. */
function reasonOf(err: unknown): { reason: string; err?: unknown } {
  if (err instanceof StreamEnded) return { reason: err.reason };
  if (err instanceof AppError) return { reason: err.code };
  return { reason: 'unexpected_error', err };
}
