import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OpenSpan, Traces } from '../traces/traces.ts';

/**
 * Begins a span for each request of an operation. Probes have none. Returns the function that ends the span of a
 * request. The attributes name the operation and its route, and never the URL, which has ids of users.
 */
export function traceRequests(
  server: FastifyInstance,
  traces: Traces,
): (request: FastifyRequest, reply: FastifyReply) => void {
  const spans = new WeakMap<FastifyRequest, OpenSpan>();
  server.addHook('onRequest', (request, _reply, done) => {
    const { operation } = request.routeOptions.config;
    if (!operation || operation.tag === 'system') return done();
    const { traceparent } = request.headers;
    const span = traces.beginRequest(operation.id, typeof traceparent === 'string' ? traceparent : null, {
      'http.request.method': operation.method,
      'http.route': operation.path,
      'phial.request_id': request.id,
    });
    spans.set(request, span);
    // Fastify keeps the asynchronous context while it reads the body.
    span.within(done);
  });
  return (request, reply) => {
    const status = reply.statusCode;
    spans.get(request)?.end({ 'http.response.status_code': status }, status >= 500 ? String(status) : null);
  };
}
