import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { recordAtCommit } from '../audit/record.ts';
import type { Ctx, ManagementCtx, TeamCtx } from '../context.ts';
import { inTransaction } from '../db/transaction.ts';
import { oncePerKey } from './answer/idempotency.ts';
import { takesIdempotencyKey } from './answer/refusals.ts';
import { sealFor } from './answer/seal.ts';
import { compileAnswer, send, type Answer } from './answer/write.ts';
import { recordIdsOf } from './audit/record-ids.ts';
import { lineOf } from './audit/trail.ts';
import type { Caller } from './auth/caller.ts';
import { resolveScope } from './auth/scope.ts';
import type { Endpoint } from './endpoint.ts';
<<<<<<< HEAD
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
=======
import { inputReader } from './input/read-input.ts';
import { takeStreams } from './input/stream-body.ts';
>>>>>>> b613610 (The route writes the audit log: with the commit of a write, soon after a read or a refusal; operations answer PDF, HTML, NDJSON and redirects and take streams)

/**
 * The notification that empties the other processes' caches travels beside the answer to a revocation: holding the
 * answer for a moment lets it win, so that whoever reads the answer finds the key refused everywhere.
 */
const HEARD_EVERYWHERE_MS = 50;

/**
 * Makes an endpoint a route: input read and checked at once, the scope settled, the verb run (once per idempotency key,
 * and in a transaction where it changes something), the answer and the line in the audit log written.
 */
export function addRoute(server: FastifyInstance, endpoint: Endpoint): void {
  const readInput = inputReader(endpoint);
  const toAnswer = lazily(() => compileAnswer(endpoint));
  const ids = lazily(() => recordIdsOf(endpoint));
  const takesStream = endpoint.body !== undefined && 'media' in endpoint.body;
  // A stream may last: its verb takes transactions of its own for what it has read.
  const inOneTransaction = endpoint.method !== 'GET' && !takesStream;

  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { trail } = request;
    const caller = request.caller as Caller;
    const key = takesIdempotencyKey(endpoint) ? headerOf(request, 'x-idempotency-key') : null;
    const input = readInput(request, key);
    if (trail) trail.records = ids().ofInput(input);
    const ctx = await resolveScope(endpoint, caller.ctx, input);
    if (trail) trail.team_id ??= (ctx as Partial<TeamCtx>).team?.id ?? null;

<<<<<<< HEAD
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
=======
    const perform = async (ctx: Ctx): Promise<Answer> => {
      const value = await endpoint.handle(ctx as never, input as never);
      trail?.records.push(...ids().ofAnswer(value));
      return toAnswer()(value);
    };
    if (!inOneTransaction) return send(reply, endpoint, await perform(ctx));
>>>>>>> b613610 (The route writes the audit log: with the commit of a write, soon after a read or a refusal; operations answer PDF, HTML, NDJSON and redirects and take streams)

    const answer = await inTransaction(ctx, async (tx) => {
      const answer =
        key === null || trail === null
          ? await perform(tx as unknown as Ctx)
          : await oncePerKey(
              tx,
              {
                scopeId: trail.team_id ?? trail.key.org_id,
                operation: endpoint.id,
                key,
                input: { ...input, ...reachOf(ctx) },
                requestId: request.id,
                successesOnly: headerOf(request, 'x-idempotency-error') === 'no-cache',
                seal: endpoint.secretAnswer ? sealFor(caller.apiKey) : null,
              },
              (inside) => perform(inside as unknown as Ctx),
            );
      if (trail) await recordAtCommit(tx, lineOf(request, endpoint, trail, answer.status));
      return answer;
    });
    if (trail) trail.written = true;
    if (endpoint.revokes) await wait(HEARD_EVERYWHERE_MS);
    return send(reply, endpoint, answer);
  };

  const route = {
    method: endpoint.method,
    url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { endpoint },
    handler,
  };
  const { body } = endpoint;
  if (body === undefined || !('media' in body)) server.route(route);
  else {
    void server.register(async (streaming) => {
      takeStreams(streaming, body);
      streaming.route(route);
    });
  }
}

/** What of the caller decides about the answer: the same words by a key of another reach are another request. */
function reachOf(ctx: Ctx): object {
  const { key, team } = ctx as Partial<ManagementCtx & TeamCtx>;
  return key ? { team_ids: key.team_ids, team: team?.id } : {};
}

function headerOf(request: FastifyRequest, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
