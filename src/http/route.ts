import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fastJsonStringify from 'fast-json-stringify';
import type { Ctx, ManagementCtx, TeamCtx } from '../context.ts';
import type { Caller } from './auth/caller.ts';
import { resolveScope } from './auth/scope.ts';
import type { Endpoint } from './endpoint.ts';
import { InvalidRequest, TransportError } from './answer/errors.ts';
import { oncePerKey, type StoredAnswer } from './answer/idempotency.ts';
import { takesIdempotencyKey } from './answer/refusals.ts';
import { jsonOf } from './media.ts';
import { readParams, readQuery } from './input/read.ts';
import { Unread } from './input/json-body.ts';
import { sealFor } from './answer/seal.ts';
import type { Problem } from './input/problem.ts';
import { compileValidation } from './input/validation.ts';

const LONGEST_KEY = 255;
const KEY_TOO_LONG: Problem = {
  type: 'string_too_long',
  loc: ['header', 'x-idempotency-key'],
  msg: `String should have at most ${LONGEST_KEY} characters`,
};

/**
 * The notification that empties the other processes' caches travels beside the answer to a revocation: holding the
 * answer for a moment lets it win, so that whoever reads the answer finds the key refused everywhere.
 */
const HEARD_EVERYWHERE_MS = 50;

const UNKNOWN_KEEPING: Problem = {
  type: 'literal_error',
  loc: ['header', 'x-idempotency-error'],
  msg: "Input should be 'no-cache'",
};

/** Makes an endpoint a route: input read and checked at once, the verb run (once per idempotency key), the answer written. */
export function addRoute(server: FastifyInstance, endpoint: Endpoint): void {
  const validate = lazily(() =>
    compileValidation({ path: endpoint.params, query: endpoint.query, body: jsonOf(endpoint.body) }),
  );
  const serialise = lazily(() => jsonOf(endpoint.response) && fastJsonStringify(endpoint.response as never));

  const bodyMayBeLeftOut = [(endpoint.body as { type?: string | string[] } | undefined)?.type].flat().includes('null');

  const readInput = (
    request: FastifyRequest,
    key: string | null,
  ): { params: unknown; query: unknown; body: unknown } => {
    const input: Record<string, unknown> = {};
    // A path that ends where a parameter should be is another path, and there is none.
    if (Object.values(request.params as Record<string, string>).includes(''))
      throw new TransportError('route_not_found');
    if (endpoint.params) input['path'] = readParams(endpoint.params, request.params as Record<string, string>);
    if (endpoint.query) input['query'] = readQuery(endpoint.query, request.query as Record<string, string>);
    const unread = request.body instanceof Unread ? request.body.problem : null;
    if (endpoint.body && !unread && (request.body !== undefined || bodyMayBeLeftOut))
      input['body'] = request.body ?? null;
    let problems = validate()(input);
    if (unread) problems = [...problems.filter((problem) => problem.loc[0] !== 'body'), unread];
    if (key !== null && key.length > LONGEST_KEY) problems = [...problems, KEY_TOO_LONG];
    if (!['no-cache', '', undefined].includes(request.headers['x-idempotency-error'] as string | undefined)) {
      problems = [...problems, UNKNOWN_KEEPING];
    }
    if (problems.length > 0) throw new InvalidRequest(problems);
    return { params: input['path'], query: input['query'], body: input['body'] };
  };
  const run = async (caller: Ctx, input: unknown): Promise<StoredAnswer> => {
    const result = await endpoint.handle(caller as never, input as never);
    return { status: endpoint.status, body: serialise()?.(result) ?? '' };
  };

  server.route({
    method: endpoint.method,
    url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { endpoint },
    handler: async (request, reply) => {
      const { ctx: caller, key: callersKey, apiKey } = request.caller as Caller;
      const key = takesIdempotencyKey(endpoint) ? idempotencyKey(request) : null;
      const input = readInput(request, key);
      const ctx = await resolveScope(endpoint, caller, input);
      const answer =
        key === null || callersKey === null
          ? await run(ctx, input)
          : await oncePerKey(
              ctx,
              {
                scopeId: callersKey.team_id ?? callersKey.org_id,
                operation: endpoint.id,
                key,
                input: { ...input, ...reachOf(ctx) },
                requestId: request.id,
                successesOnly: request.headers['x-idempotency-error'] === 'no-cache',
                seal: endpoint.secretAnswer ? sealFor(apiKey) : null,
              },
              (inside) => run(inside, input),
            );
      if (endpoint.revokes) await wait(HEARD_EVERYWHERE_MS);
      reply.code(answer.status);
      if (answer.body === '') return reply.send();
      return reply.type('application/json; charset=utf-8').send(answer.body);
    },
  });
}

/** What of the caller decides about the answer: the same words by a key of another reach are another request. */
function reachOf(ctx: Ctx): object {
  const { key, team } = ctx as Partial<ManagementCtx & TeamCtx>;
  return key ? { team_ids: key.team_ids, team: team?.id } : {};
}

function idempotencyKey(request: FastifyRequest): string | null {
  const value = request.headers['x-idempotency-key'];
  return typeof value === 'string' && value !== '' ? value : null;
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
