import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { recordAtCommit } from '../audit/record.ts';
import type { Ctx, ManagementCtx, TeamCtx, TxCtx } from '../context.ts';
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
import { inputReader } from './input/read-input.ts';
import { takeStreams } from './input/stream-body.ts';
import type { RequestShares } from './limits/request-shares.ts';

/**
 * The notification that empties the other processes' caches travels beside the answer to a revocation: holding the
 * answer for a moment lets it win, so that whoever reads the answer finds the key refused everywhere.
 */
const HEARD_EVERYWHERE_MS = 50;

/**
 * Makes an endpoint a route: input read and checked at once, the scope settled, the verb run (once per idempotency key,
 * and in a transaction where it changes something), the answer and the line in the audit log written.
 */
export function addRoute(server: FastifyInstance, endpoint: Endpoint, shares: RequestShares): void {
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
    const owner = trail?.team_id ?? trail?.key.org_id;
    const work = (): Promise<FastifyReply> => carryOut(request, reply, { caller, key, input });
    return owner ? shares.run(owner, work) : work();
  };

  const carryOut = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { caller, key, input }: { caller: Caller; key: string | null; input: ReturnType<typeof readInput> },
  ): Promise<FastifyReply> => {
    const { trail } = request;
    const ctx = await resolveScope(endpoint, caller.ctx, input);
    if (trail) trail.team_id ??= (ctx as Partial<TeamCtx>).team?.id ?? null;

    const perform = async (ctx: Ctx | TxCtx): Promise<Answer> => {
      const value = await endpoint.handle(ctx as never, input as never);
      trail?.records.push(...ids().ofAnswer(value));
      return toAnswer()(value);
    };
    if (!inOneTransaction) return send(reply, endpoint, await perform(ctx));

    const answer = await inTransaction(ctx, async (tx) => {
      const answer =
        key === null || trail === null
          ? await perform(tx)
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
              perform,
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
