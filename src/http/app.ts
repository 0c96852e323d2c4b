import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import Fastify, { LogController, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Ctx } from '../context.ts';
import { KeyUses } from '../tenancy/keys/key-uses.ts';
import { AuditWriter } from '../audit/writer.ts';
import { addressOf, lineOf, startTrail, type Trail } from './audit/trail.ts';
import { AccessCache } from './auth/access.ts';
import type { Caller } from './auth/caller.ts';
import { AUTH_KINDS } from './auth/kinds.ts';
import { refuseOwnDelivery } from './auth/own-delivery.ts';
import { refuseBeyondKey } from './auth/resolve-scope.ts';
import { respondToBrokenRequest } from './response/broken-request.ts';
import { compressResponses } from './response/compress.ts';
import { openDeprecations } from './response/deprecation.ts';
import { BODY_CUT, bringsBody } from './input/cut-body.ts';
import { drainBody } from './input/drain-body.ts';
import type { Operation } from '../operation/operation.ts';
import { errorResponse, TransportError, unexpectedResponse, type ErrorResponse } from './error-response.ts';
import { logFailedStreams } from './limits/cut-responses.ts';
import { declaredCodes, refusesByPage } from './response/declared-codes.ts';
import { refusedLinkPage } from './response/write-response.ts';
import type { Logger } from '../log.ts';
import { MissingEncryptionKey } from '../privacy/missing-encryption-key.ts';
import { parseJson, refusalOfEncoding } from './input/json-body.ts';
import { ArrivingBatches } from './limits/arriving-batches.ts';
import { arrivalLimits, limitConnections, refuseLongHeaders } from './limits/limit-connections.ts';
import { openRateLimits } from './limits/open-rate-limits.ts';
import { networkOf } from './limits/network-of.ts';
import { isReserved, openRequestPermits } from './limits/request-permits.ts';
import { UnreadResponses } from './limits/unread-responses.ts';
import { isStream } from '../operation/media.ts';
import { showRequestWait, type Metrics } from '../metrics.ts';
import { addRoute } from './route.ts';
import { traceRequests } from './trace-requests.ts';
import { methodsByPath, refuseOtherMethods, refuseUnknownRoute } from './unknown-route.ts';

const LONGEST_URL = 8_192;
const LONGEST_PARAM = 1_024;

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    trail: Trail | null;
    /** The client's address at the start of the request. */
    address: string | null;
  }
  interface FastifyContextConfig {
    operation?: Operation;
  }
}

export type App = {
  server: FastifyInstance;
  access: AccessCache;
  audit: AuditWriter;
  uses: KeyUses;
  unread: UnreadResponses;
};

/** Opens the HTTP part of the service: all operations with their refusals, in the order of the OpenAPI document. */
export function openApp(ctx: Ctx, operations: Operation[], metrics: Metrics): App {
  const permits = openRequestPermits(ctx.config, ctx.batches.permits);
  const reserved = (): Ctx => ({ ...ctx, db: ctx.reserved ?? ctx.db, requestWaitMs: () => permits.longestWaitMs });
  const forAnonymousCallers: Ctx = { ...ctx, db: ctx.forAnonymousCallers ?? ctx.db };
  showRequestWait(metrics, permits);
  const access = new AccessCache(ctx, reserved());
  const audit = new AuditWriter(ctx);
  const uses = new KeyUses(ctx);
  const server = openServer(ctx);
  const unread = new UnreadResponses();
  limitConnections(server, ctx, unread);
  logFailedStreams(server, ctx.log);
  const markDeprecations = openDeprecations(server, ctx.log);
  const rateLimits = ctx.config.rateLimit && openRateLimits(ctx, ctx.config.rateLimit);
  const reservedLimits = ctx.config.rateLimit && openRateLimits(reserved(), ctx.config.rateLimit);
  const allowedMethods = methodsByPath(operations);
  const pages = new Set<string>();

  for (const name of ['caller', 'trail', 'address']) server.decorateRequest(name, null);
  server.addHook('onRoute', ({ method, url }) => {
    if (method === 'GET') pages.add(url);
  });
  takeJsonOnly(server);
  const endSpan = ctx.traces && traceRequests(server, ctx.traces);
  server.addHook('onRequest', async (request, reply) => {
    request.address = addressOf(request);
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    if (request.url.length > LONGEST_URL) throw new TransportError('uri_too_long');
    refuseLongHeaders(request.raw);
    if (request.is404) refuseUnknownRoute(request, reply, { allowedMethods, pages });
    const { operation } = request.routeOptions.config;
    if (!operation) return;
    const hasReservedConnections = isReserved(operation) || operation.tag === 'system';
    const own = hasReservedConnections ? reserved() : operation.auth === 'none' ? forAnonymousCallers : ctx;
    const findCaller = () =>
      AUTH_KINDS[operation.auth].findCaller(own, access, request.headers, {
        path: operation.path,
        params: request.params as Record<string, string>,
        method: operation.method,
        address: networkOf(request.ip),
      });
    const caller = await findCaller();
    if (caller.key) startTrail(request, caller.key, caller.records);
    markDeprecations(reply, operation, caller);
    // Each refusal writes an audit line, and all keys share the writer of these lines. So we count the request against
    // the rate limit before we refuse it for any other reason.
    await (hasReservedConnections ? reservedLimits : rateLimits)?.(caller, (name, value) => reply.header(name, value));
    if ('refusal' in caller) throw caller.refusal;
    refuseOwnDelivery(caller, request.headers);
    if (caller.key?.kind === 'team_key') uses.note(caller.key.id);
    request.caller = operation.lasts ? { ...caller, again: findCaller } : caller;
    refuseBeyondKey(operation, caller);
  });
  refuseCutBodies(server);
  recordEach(server, audit);
  observeEachRequest(server, (request, reply) => {
    observeRequest(ctx, metrics, request, reply);
    endSpan?.(request, reply);
  });
  server.addHook('onClose', async () => {
    await Promise.all([audit.close(), uses.flush()]);
  });
  server.setErrorHandler(async (error, request, reply) => {
    const response = errorResponse(error, request.id);
    logSurprise(ctx.log, request, error, response);
    await letGo(request, reply, response);
    sendRefusal(request, reply, response ?? unexpectedResponse(request.id));
    return reply;
  });
  server.setNotFoundHandler(() => {
    throw new TransportError('route_not_found');
  });

  const limits = { permits, batches: ctx.batches, arriving: new ArrivingBatches(), unread };
  for (const operation of operations) addRoute(server, operation, limits);
  refuseOtherMethods(server, allowedMethods);
  return { server, access, audit, uses, unread };
}

/**
 * Opens a server without routes. The server limits the size and the arrival time of requests. It compresses responses
 * before other hooks see them, so that those hooks count the compressed bytes.
 */
function openServer(ctx: Ctx): FastifyInstance {
  const server = Fastify({
    logger: false,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: ctx.config.bodyLimitBytes,
    routerOptions: { maxParamLength: LONGEST_PARAM, ignoreTrailingSlash: false },
    genReqId: () => randomUUID(),
    trustProxy: ctx.config.trustedProxies.length > 0 && ctx.config.trustedProxies,
    ...arrivalLimits(ctx.config),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: respondToBrokenRequest,
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      send(reply, errorResponse(error, request.id) ?? unexpectedResponse(request.id));
    },
  });
  compressResponses(server);
  return server;
}

/**
 * Makes the server refuse a request whose connection is lost. The rest of its body never arrives, so a handler would
 * wait for it forever.
 */
function refuseCutBodies(server: FastifyInstance): void {
  server.addHook('preParsing', async ({ raw }) => {
    if (raw.destroyed && !raw.readableEnded && bringsBody(raw)) throw new TransportError('bad_request', BODY_CUT);
  });
}

/**
 * Writes the audit line of each request before the first byte of its response is sent. So the line exists even if the
 * client disconnects while it reads.
 */
function recordEach(server: FastifyInstance, audit: AuditWriter): void {
  server.addHook('onSend', async ({ trail }, reply) => {
    // A successful change has written its line already. A request that the rate limit refused has read and changed
    // nothing.
    if (!trail || trail.written || reply.statusCode === 429) return;
    trail.written = true;
    audit.add(lineOf(trail, reply.statusCode));
  });
}

function observeRequest({ log }: Ctx, metrics: Metrics, request: FastifyRequest, reply: FastifyReply): void {
  const operation = request.routeOptions.config.operation?.id ?? 'none';
  metrics.requestSeconds.observe({ operation, status: String(reply.statusCode) }, reply.elapsedTime / 1000);
  logRequest(log, operation, request, reply);
}

/** Calls `observe` once for each request: when its response is sent, or when the client disconnects before that. */
function observeEachRequest(
  server: FastifyInstance,
  observe: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  const observed = new WeakSet<FastifyRequest>();
  const once = (request: FastifyRequest, reply: FastifyReply): void => {
    if (observed.has(request)) return;
    observed.add(request);
    observe(request, reply);
  };
  server.addHook('onSend', async (request, reply) => {
    if (reply.raw.closed) once(request, reply);
    else reply.raw.once('close', () => once(request, reply));
  });
  server.addHook('onResponse', async (request, reply) => once(request, reply));
}

/**
 * Reads the rest of the body before we send an error. Otherwise a client that is still sending would see a connection
 * reset instead of the response.
 */
async function letGo(request: FastifyRequest, reply: FastifyReply, response: ErrorResponse | null): Promise<void> {
  const isOfStream = isStream(request.routeOptions.config.operation?.body);
  if (isOfStream) {
    // A destroyed stream calls `unpipe` later, which would stop the reading below. So we unpipe now.
    request.raw.unpipe();
    (request.body as Readable | undefined)?.destroy();
  }
  if (response?.status === 413 || isOfStream) await drainBody(request.raw);
  // The client has not sent the entire body, and we do not wait for the rest.
  if (isOfStream && !request.raw.complete) reply.header('connection', 'close');
}

function takeJsonOnly(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const refusal = refusalOfEncoding(request.headers);
    if (refusal === null) done(null, parseJson(body as Buffer));
    else done(new TransportError('unsupported_media_type', refusal));
  });
}

const PROBES = new Set(['get_health', 'get_readiness']);

function logRequest(log: Logger, operation: string, request: FastifyRequest, reply: FastifyReply): void {
  // A probe comes every few seconds and says nothing about the use of the service, so we log it at debug level.
  log[PROBES.has(operation) ? 'debug' : 'info'](
    {
      request_id: request.id,
      operation,
      method: request.method,
      status: reply.statusCode,
      duration_ms: Math.round(reply.elapsedTime * 10) / 10,
      key_id: request.caller?.key?.id,
    },
    'request',
  );
}

/**
 * Logs errors that we did not expect: errors without a response of their own, and refusals with a code that the
 * operation does not declare.
 */
function logSurprise(log: Logger, request: FastifyRequest, error: unknown, response: ErrorResponse | null): void {
  const { operation } = request.routeOptions.config;
  const about = { err: error, request_id: request.id, operation: operation?.id };
  if (!response) log.error(about, 'unexpected error');
  else if (error instanceof MissingEncryptionKey)
    log.error(about, 'a value is sealed under a key that this process does not have');
  else if (operation && !declaredCodes(operation).has(response.body.code)) {
    const { code } = response.body;
    log.error({ operation: operation.id, code }, 'an operation refused with a code that it does not declare');
  }
}

/** Sends a refusal. If a person opened a link in a browser, the refusal is a page. */
function sendRefusal({ routeOptions }: FastifyRequest, reply: FastifyReply, response: ErrorResponse): void {
  const { operation } = routeOptions.config;
  if (response.body.code !== 'link_refused' || !operation || !refusesByPage(operation)) return send(reply, response);
  const { status, headers, body } = refusedLinkPage(response.status, operation.askAgainAt ?? null);
  reply.code(status).headers(headers).send(body);
}

function send(reply: FastifyReply, response: Pick<ErrorResponse, 'status' | 'body' | 'retryAfterSeconds'>): void {
  const wait = response.retryAfterSeconds ?? (response.status === 503 ? 1 : null);
  if (wait !== null) reply.header('retry-after', String(wait));
  reply.code(response.status).type('application/json; charset=utf-8').send(JSON.stringify(response.body));
}
