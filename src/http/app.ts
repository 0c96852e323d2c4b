import { randomUUID } from 'node:crypto';
import Fastify, { LogController, type FastifyInstance, type FastifyReply } from 'fastify';
import type { Ctx } from '../context.ts';
import { AccessCache } from './auth/access.ts';
import { authenticate, DEPRECATED_MANAGEMENT_HEADER, MANAGEMENT_HEADER, type Caller } from './auth/authenticate.ts';
import { answerBrokenRequest } from './answer/broken-request.ts';
import { markDeprecated, openDeprecationLog } from './answer/deprecation.ts';
import { drainBody } from './input/drain-body.ts';
import type { Endpoint } from './endpoint.ts';
import { errorAnswer, TransportError, unexpectedAnswer } from './answer/errors.ts';
import { isEncodedOtherwise, parseJson } from './input/json-body.ts';
import type { Metrics } from './metrics.ts';
import { addRoute } from './route.ts';
import { methodsByPath, refuseOtherMethods, refuseUnknownRoute } from './unknown-route.ts';

const LONGEST_URL = 8_192;
const LONGEST_PARAM = 1_024;

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint;
  }
}

export type App = { server: FastifyInstance; access: AccessCache };

/** The HTTP side of the service: every endpoint with its refusals, in the order of the interface. */
export function openApp(ctx: Ctx, endpoints: Endpoint[], metrics: Metrics): App {
  const access = new AccessCache(ctx);
  const tellDeprecated = openDeprecationLog(ctx.log);
  const server = Fastify({
    logger: false,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: ctx.config.bodyLimitBytes,
    routerOptions: { maxParamLength: LONGEST_PARAM, ignoreTrailingSlash: false },
    genReqId: () => randomUUID(),
    requestTimeout: 30_000,
    http: { requireHostHeader: false },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      send(reply, errorAnswer(error, request.id) ?? unexpectedAnswer(request.id));
    },
  });
  const allowedMethods = methodsByPath(endpoints);
  const pages = new Set<string>();

  server.decorateRequest('caller', null);
  server.addHook('onRoute', ({ method, url }) => {
    if (method === 'GET') pages.add(url);
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (isEncodedOtherwise(request.headers)) done(new TransportError(415));
    else done(null, parseJson(body as Buffer));
  });
  server.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    if (request.url.length > LONGEST_URL) throw new TransportError(414);
    if (request.is404) refuseUnknownRoute(request, reply, { allowedMethods, pages });
    const { endpoint } = request.routeOptions.config;
    if (!endpoint) return;
    request.caller = await authenticate(ctx, access, endpoint, request.headers);
    const { keyId } = request.caller;
    if (endpoint.deprecated) {
      markDeprecated(reply, endpoint.deprecated);
      if (keyId) tellDeprecated(keyId, endpoint.id);
    }
    if (keyId && endpoint.auth === 'management_key' && !request.headers[MANAGEMENT_HEADER]) {
      markDeprecated(reply, { since: '2025-01-01', successor: '/docs#description/authentication' });
      tellDeprecated(keyId, DEPRECATED_MANAGEMENT_HEADER);
    }
  });
  server.addHook('onResponse', async (request, reply) => {
    const operation = request.routeOptions.config.endpoint?.id ?? 'none';
    metrics.requestSeconds.observe({ operation, status: String(reply.statusCode) }, reply.elapsedTime / 1000);
    ctx.log.info(
      {
        request_id: request.id,
        operation,
        method: request.method,
        status: reply.statusCode,
        duration_ms: Math.round(reply.elapsedTime * 10) / 10,
        caller: request.caller?.scopeId ?? undefined,
      },
      'request',
    );
  });
  server.setErrorHandler(async (error, request, reply) => {
    const answer = errorAnswer(error, request.id);
    if (!answer)
      ctx.log.error(
        { err: error, request_id: request.id, operation: request.routeOptions.config.endpoint?.id },
        'unexpected error',
      );
    // A client that still writes would read a reset connection instead of the answer.
    if (answer?.status === 413) await drainBody(request.raw);
    send(reply, answer ?? unexpectedAnswer(request.id));
    return reply;
  });
  server.setNotFoundHandler(() => {
    throw new TransportError(404);
  });

  for (const endpoint of endpoints) addRoute(server, endpoint);
  refuseOtherMethods(server, allowedMethods);
  return { server, access };
}

function send(reply: FastifyReply, answer: { status: number; body: unknown }): void {
  reply.code(answer.status).type('application/json; charset=utf-8').send(JSON.stringify(answer.body));
}
