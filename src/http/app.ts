import { randomUUID } from 'node:crypto';
import Fastify, { LogController, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import fastJsonStringify from 'fast-json-stringify';
import type { Socket } from 'node:net';
import type { Ctx, ManagementCtx, TeamCtx } from '../context.ts';
import { notFound, AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import { AccessCache } from './access.ts';
import { authenticate, DEPRECATED_MANAGEMENT_HEADER, MANAGEMENT_HEADER } from './auth.ts';
import { markDeprecated, openDeprecationLog } from './deprecation.ts';
import type { Endpoint } from './endpoint.ts';
import { errorAnswer, InvalidRequest, TransportError, unexpectedAnswer } from './errors.ts';
import { oncePerKey, type StoredAnswer } from './idempotency.ts';
import { readParams, readQuery } from './input.ts';
import type { Metrics } from './metrics.ts';
import { sealFor } from './seal.ts';
import { compileValidation, type Problem } from './validation.ts';

const LONGEST_URL = 8_192;
const LONGEST_PARAM = 1_024;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const INVALID_JSON: Problem = { type: 'json_invalid', loc: ['body'], msg: 'The body is not valid JSON' };

const LONGEST_KEY = 255;
const KEY_TOO_LONG: Problem = {
  type: 'string_too_long', loc: ['header', 'x-idempotency-key'], msg: `String should have at most ${LONGEST_KEY} characters`,
};

/** Stands for a body that did not parse, so that its problem is listed beside the others. */
const unparsed = Symbol('unparsed');

type Caller = Awaited<ReturnType<typeof authenticate>>;
declare module 'fastify' {
  interface FastifyRequest { caller: Caller | null }
  interface FastifyContextConfig { endpoint?: Endpoint }
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
  server.addHook('onRoute', ({ method, url }) => { if (method === 'GET') pages.add(url); });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    done(null, parseJson(body as string));
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
    ctx.log.info({
      request_id: request.id, operation, method: request.method, status: reply.statusCode,
      duration_ms: Math.round(reply.elapsedTime * 10) / 10, caller: request.caller?.scopeId ?? undefined,
    }, 'request');
  });
  server.setErrorHandler((error, request, reply) => {
    const answer = errorAnswer(error, request.id);
    if (!answer) ctx.log.error({ err: error, request_id: request.id, operation: request.routeOptions.config.endpoint?.id }, 'unexpected error');
    send(reply, answer ?? unexpectedAnswer(request.id));
  });
  server.setNotFoundHandler(() => { throw new TransportError(404); });

  for (const endpoint of endpoints) addRoute(server, endpoint);
  refuseOtherMethods(server, allowedMethods);
  return { server, access };
}

function send(reply: FastifyReply, answer: { status: number; body: unknown }): void {
  reply.code(answer.status).type('application/json; charset=utf-8').send(JSON.stringify(answer.body));
}

// The key as it may be written, its letters escaped or not: reviving every value costs five times the parsing.
const MAY_HOLD_PROTO = /__proto__|\\u00/;

/** `__proto__` is refused as any other text that is not the JSON we can take: nothing downstream has to think of it. */
function parseJson(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    if (!MAY_HOLD_PROTO.test(text)) return JSON.parse(text);
    return JSON.parse(text, (key, value) => {
      if (key === '__proto__') throw new SyntaxError('reserved key');
      return value;
    });
  } catch {
    return unparsed;
  }
}

const fastifyPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

function addRoute(server: FastifyInstance, endpoint: Endpoint): void {
  const validate = lazily(() => compileValidation({ path: endpoint.params, query: endpoint.query, body: endpoint.body }));
  const serialise = lazily(() => endpoint.response && fastJsonStringify(endpoint.response as never));

  const bodyMayBeLeftOut = [(endpoint.body as { type?: string | string[] } | undefined)?.type].flat().includes('null');

  const readInput = (request: FastifyRequest, key: string | null): { params: unknown; query: unknown; body: unknown } => {
    const input: Record<string, unknown> = {};
    if (endpoint.params) input['path'] = readParams(endpoint.params, request.params as Record<string, string>);
    if (endpoint.query) input['query'] = readQuery(endpoint.query, request.query as Record<string, string>);
    const broken = request.body === unparsed;
    if (endpoint.body && !broken && (request.body !== undefined || bodyMayBeLeftOut)) input['body'] = request.body ?? null;
    let problems = validate()(input);
    if (broken) problems = [...problems.filter((problem) => problem.loc[0] !== 'body'), INVALID_JSON];
    if (key !== null && key.length > LONGEST_KEY) problems = [...problems, KEY_TOO_LONG];
    if (problems.length > 0) throw new InvalidRequest(problems);
    return { params: input['path'], query: input['query'], body: input['body'] };
  };
  const run = async (caller: Ctx, input: unknown): Promise<StoredAnswer> => {
    const result = await endpoint.handle(caller as never, input as never);
    return { status: endpoint.status, body: serialise()?.(result) ?? '' };
  };

  server.route({
    method: endpoint.method,
    url: fastifyPath(endpoint.path),
    config: { endpoint },
    handler: async (request, reply) => {
      const { ctx: caller, scopeId, apiKey } = request.caller as Caller;
      const key = endpoint.method === 'POST' && scopeId ? idempotencyKey(request) : null;
      const input = readInput(request, key);
      if (endpoint.auth === 'management_key') refuseOtherDeployment(caller as ManagementCtx, input.params as never);
      const answer = key === null || scopeId === null
        ? await run(caller, input)
        : await oncePerKey(caller as TeamCtx, {
            scopeId, operation: endpoint.id, key, input, requestId: request.id,
            successesOnly: request.headers['x-idempotency-error'] === 'no-cache',
            seal: endpoint.secretAnswer ? sealFor(apiKey) : null,
          }, (inside) => run(inside as unknown as Ctx, input));
      reply.code(answer.status);
      if (answer.body === '') return reply.send();
      return reply.type('application/json; charset=utf-8').send(answer.body);
    },
  });
}

function idempotencyKey(request: FastifyRequest): string | null {
  const value = request.headers['x-idempotency-key'];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Another organisation does not exist for this key, and another deployment is elsewhere. */
function refuseOtherDeployment(ctx: ManagementCtx, params: { org_id?: string; environment?: string; env?: string; region?: string }): void {
  if (params.org_id !== ctx.org.id) throw notFound('Organisation');
  const { environment, region } = ctx.config;
  const asked = { environment: params.environment ?? params.env ?? environment, region: params.region ?? region };
  if (asked.environment !== environment || asked.region !== region) {
    throw new AppError('wrong_deployment', `You asked for ${asked.environment} ${asked.region}, but this service is ${environment} ${region}. `
      + 'Send the request to that deployment\'s base address.');
  }
}

type AllowedMethods = { url: string; pattern: RegExp; allow: Set<string> }[];

/** The methods of every path, paths without parameters first, as the router prefers them. */
function methodsByPath(endpoints: Endpoint[]): AllowedMethods {
  const taken = new Map<string, AllowedMethods[number]>();
  for (const { path, method } of endpoints) {
    const shape = path.replaceAll(/\{\w+\}/g, '[^/]+');
    const entry = taken.get(shape) ?? { url: fastifyPath(path), pattern: new RegExp(`^${shape}$`), allow: new Set() };
    entry.allow.add(method);
    if (method === 'GET') entry.allow.add('HEAD');
    taken.set(shape, entry);
  }
  return [...taken.values()].sort((a, b) => a.url.split(':').length - b.url.split(':').length);
}

function refuseMethod(reply: FastifyReply, allow: Set<string>): never {
  reply.header('allow', [...allow].join(', '));
  throw new TransportError(405);
}

/** Every path answers 405 with Allow to the methods it does not take. */
function refuseOtherMethods(server: FastifyInstance, allowedMethods: AllowedMethods): void {
  for (const { allow, url } of allowedMethods) {
    server.route({
      method: METHODS.filter((method) => !allow.has(method)).concat('OPTIONS' as never),
      url,
      onRequest: async (_request, reply) => refuseMethod(reply, allow),
      handler: async () => undefined,
    });
  }
}

/** Refused before a body is read. Methods that the router has never heard of, as TRACE, end here too. */
function refuseUnknownRoute(request: FastifyRequest, reply: FastifyReply, { allowedMethods, pages }: {
  allowedMethods: AllowedMethods;
  /** Paths that are no operations, as the reference: they are only read. */
  pages: Set<string>;
}): never {
  const path = request.url.split('?')[0] as string;
  const known = allowedMethods.find(({ pattern }) => pattern.test(path));
  if (known) refuseMethod(reply, known.allow);
  if (pages.has(path)) refuseMethod(reply, new Set(['GET', 'HEAD']));
  throw new TransportError(404);
}

/** Requests that are not even HTTP, or whose headers or arrival break a limit, get the one error shape too. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const requestId = newId();
  const answer = errorAnswer(new TransportError(status), requestId);
  const body = JSON.stringify(answer?.body);
  socket.end(`HTTP/1.1 ${status} ${status === 431 ? 'Request Header Fields Too Large' : status === 408 ? 'Request Timeout' : 'Bad Request'}\r\n`
    + `x-request-id: ${requestId}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`);
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
