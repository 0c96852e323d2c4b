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
import { refuseBeyondKey } from './auth/scope.ts';
import { answerBrokenRequest } from './answer/broken-request.ts';
import { compressAnswers } from './answer/compress.ts';
import { openDeprecations } from './answer/deprecation.ts';
import { BODY_CUT, bringsBody } from './input/cut-body.ts';
import { drainBody } from './input/drain-body.ts';
import type { Endpoint } from './endpoint.ts';
import { errorAnswer, TransportError, unexpectedAnswer, type ErrorAnswer } from './errors.ts';
import { tellOfStreamsThatFail } from './limits/cut-answers.ts';
import { declaredCodes, refusesByPage } from './answer/refusals.ts';
import { refusedLinkPage } from './answer/write.ts';
import type { Logger } from '../log.ts';
import { UnknownKey } from '../privacy/unknown-key.ts';
import { parseJson, refusalOfEncoding } from './input/json-body.ts';
import { ArrivingBatches } from './limits/arriving-batches.ts';
import { arrivalLimits, limitConnections, refuseLongHeaders } from './limits/connections.ts';
import { openRateLimits } from './limits/rates-of-callers.ts';
import { networkOf } from './limits/network-of.ts';
import { isReserved, openRequestPermits } from './limits/request-permits.ts';
import { UnreadAnswers } from './limits/unread-answers.ts';
import { isStream } from './media.ts';
import { showRequestWait, type Metrics } from './metrics.ts';
import { addRoute } from './route.ts';
import { methodsByPath, refuseOtherMethods, refuseUnknownRoute } from './unknown-route.ts';

const LONGEST_URL = 8_192;
const LONGEST_PARAM = 1_024;

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    trail: Trail | null;
    /** Where it came from, as it was when the request began. */
    address: string | null;
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint;
  }
}

export type App = {
  server: FastifyInstance;
  access: AccessCache;
  audit: AuditWriter;
  uses: KeyUses;
  unread: UnreadAnswers;
};

/** The HTTP side of the service: every endpoint with its refusals, in the order of the interface. */
export function openApp(ctx: Ctx, endpoints: Endpoint[], metrics: Metrics): App {
  const permits = openRequestPermits(ctx.config, ctx.bulk.places);
  const reserved = (): Ctx => ({ ...ctx, db: ctx.reserved ?? ctx.db, requestWaitMs: () => permits.longestWaitMs });
  const ofStrangers: Ctx = { ...ctx, db: ctx.ofStrangers ?? ctx.db };
  showRequestWait(metrics, permits);
  const access = new AccessCache(ctx, reserved());
  const audit = new AuditWriter(ctx);
  const uses = new KeyUses(ctx);
  const server = openServer(ctx);
  const unread = new UnreadAnswers();
  limitConnections(server, ctx, unread);
  tellOfStreamsThatFail(server, ctx.log);
  const markDeprecations = openDeprecations(server, ctx.log);
  const rateLimits = ctx.config.rateLimit && openRateLimits(ctx, ctx.config.rateLimit);
  const reservedLimits = ctx.config.rateLimit && openRateLimits(reserved(), ctx.config.rateLimit);
  const allowedMethods = methodsByPath(endpoints);
  const pages = new Set<string>();

  for (const name of ['caller', 'trail', 'address']) server.decorateRequest(name, null);
  server.addHook('onRoute', ({ method, url }) => {
    if (method === 'GET') pages.add(url);
  });
  takeJsonOnly(server);
  server.addHook('onRequest', async (request, reply) => {
    request.address = addressOf(request);
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    if (request.url.length > LONGEST_URL) throw new TransportError('uri_too_long');
    refuseLongHeaders(request.raw);
    if (request.is404) refuseUnknownRoute(request, reply, { allowedMethods, pages });
    const { endpoint } = request.routeOptions.config;
    if (!endpoint) return;
    const isKept = isReserved(endpoint) || endpoint.tag === 'system';
    const own = isKept ? reserved() : endpoint.auth === 'none' ? ofStrangers : ctx;
    const findCaller = () =>
      AUTH_KINDS[endpoint.auth].findCaller(own, access, request.headers, {
        path: endpoint.path,
        params: request.params as Record<string, string>,
        address: networkOf(request.ip),
      });
    const caller = await findCaller();
    if (caller.key) startTrail(request, caller.key, caller.records);
    markDeprecations(reply, endpoint, caller);
    // Before any refusal: each leaves its line in the audit log, whose writer all keys share.
    await (isKept ? reservedLimits : rateLimits)?.(caller, (name, value) => reply.header(name, value));
    if ('refusal' in caller) throw caller.refusal;
    refuseOwnDelivery(caller, request.headers);
    if (caller.key?.kind === 'team_key') uses.note(caller.key.id);
    request.caller = endpoint.lasts ? { ...caller, again: findCaller } : caller;
    refuseBeyondKey(endpoint, caller);
  });
  refuseCutBodies(server);
  recordEach(server, audit);
  const tell = (request: FastifyRequest, reply: FastifyReply): void => {
    const operation = request.routeOptions.config.endpoint?.id ?? 'none';
    metrics.requestSeconds.observe({ operation, status: String(reply.statusCode) }, reply.elapsedTime / 1000);
    logRequest(ctx.log, operation, request, reply);
  };
  tellOfEach(server, tell);
  server.addHook('onClose', async () => {
    await Promise.all([audit.close(), uses.flush()]);
  });
  server.setErrorHandler(async (error, request, reply) => {
    const answer = errorAnswer(error, request.id);
    logSurprise(ctx.log, request, error, answer);
    await letGo(request, reply, answer);
    sendRefusal(request, reply, answer ?? unexpectedAnswer(request.id));
    return reply;
  });
  server.setNotFoundHandler(() => {
    throw new TransportError('route_not_found');
  });

  const limits = { permits, bulk: ctx.bulk, arriving: new ArrivingBatches(), unread };
  for (const endpoint of endpoints) addRoute(server, endpoint, limits);
  refuseOtherMethods(server, allowedMethods);
  return { server, access, audit, uses, unread };
}

/** Without routes: the limits of what arrives, and what compresses answers before other hooks see them. */
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
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      send(reply, errorAnswer(error, request.id) ?? unexpectedAnswer(request.id));
    },
  });
  compressAnswers(server);
  return server;
}

/** What a body was is lost with its connection, and nothing would ever end the wait for it. */
function refuseCutBodies(server: FastifyInstance): void {
  server.addHook('preParsing', async ({ raw }) => {
    if (raw.destroyed && !raw.readableEnded && bringsBody(raw)) throw new TransportError('bad_request', BODY_CUT);
  });
}

/**
 * The line of a request, before anything of its answer leaves: whoever hangs up has been given it, or was about to be.
 */
function recordEach(server: FastifyInstance, audit: AuditWriter): void {
  server.addHook('onSend', async ({ trail }, reply) => {
    // Writes that succeeded have their line already. Who is throttled reads and writes nothing.
    if (!trail || trail.written || reply.statusCode === 429) return;
    trail.written = true;
    audit.add(lineOf(trail, reply.statusCode));
  });
}

/** Calls `tell` once for each request: when its answer was sent, or when its client hung up in the middle of it. */
function tellOfEach(server: FastifyInstance, tell: (request: FastifyRequest, reply: FastifyReply) => void): void {
  const told = new WeakSet<FastifyRequest>();
  const once = (request: FastifyRequest, reply: FastifyReply): void => {
    if (told.has(request)) return;
    told.add(request);
    tell(request, reply);
  };
  server.addHook('onSend', async (request, reply) => {
    if (reply.raw.closed) once(request, reply);
    else reply.raw.once('close', () => once(request, reply));
  });
  server.addHook('onResponse', async (request, reply) => once(request, reply));
}

/** A client that still writes would read a reset connection instead of the answer. */
async function letGo(request: FastifyRequest, reply: FastifyReply, answer: ErrorAnswer | null): Promise<void> {
  const isOfStream = isStream(request.routeOptions.config.endpoint?.body);
  if (isOfStream) {
    // A stream that is destroyed unpipes later, and with that would stop what is drained.
    request.raw.unpipe();
    (request.body as Readable | undefined)?.destroy();
  }
  if (answer?.status === 413 || isOfStream) await drainBody(request.raw);
  // What has not come by then is waited for no longer.
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
  // What asks every few seconds whether the process is well tells nothing of its traffic.
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

/** What nobody foresaw: an error without an answer, or a refusal that its operation does not declare. */
function logSurprise(log: Logger, request: FastifyRequest, error: unknown, answer: ErrorAnswer | null): void {
  const { endpoint } = request.routeOptions.config;
  const about = { err: error, request_id: request.id, operation: endpoint?.id };
  if (!answer) log.error(about, 'unexpected error');
  else if (error instanceof UnknownKey) log.error(about, 'a value is sealed under a key that this process lacks');
  else if (endpoint && !declaredCodes(endpoint).has(answer.body.code)) {
    const { code } = answer.body;
    log.error({ operation: endpoint.id, code }, 'an operation refused with a code it does not declare');
  }
}

/** A person who opens a link reads what is wrong with it as a page. */
function sendRefusal({ routeOptions }: FastifyRequest, reply: FastifyReply, answer: ErrorAnswer): void {
  const { endpoint } = routeOptions.config;
  if (answer.body.code !== 'link_refused' || !endpoint || !refusesByPage(endpoint)) return send(reply, answer);
  const { status, headers, body } = refusedLinkPage(answer.status);
  reply.code(status).headers(headers).send(body);
}

function send(reply: FastifyReply, answer: Pick<ErrorAnswer, 'status' | 'body' | 'retryAfterSeconds'>): void {
  const wait = answer.retryAfterSeconds ?? (answer.status === 503 ? 1 : null);
  if (wait !== null) reply.header('retry-after', String(wait));
  reply.code(answer.status).type('application/json; charset=utf-8').send(JSON.stringify(answer.body));
}
