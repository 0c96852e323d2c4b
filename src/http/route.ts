import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { recordAtCommit } from '../audit/record-audit.ts';
import type { BatchScheduler, GiveWay } from '../batch-scheduler.ts';
import type { Ctx, LinkCtx, ManagementCtx, TeamCtx, TxCtx } from '../context.ts';
import { withPermitPerConnection, type WithPermit } from '../db/session/bind.ts';
import { inTransaction } from '../db/transaction.ts';
import { AppError } from '../errors.ts';
import type { Owner } from '../fair/round-robin.ts';
import { eraseNaming } from './response/erase.ts';
import { oncePerKey, type KeyedRequest } from './response/idempotency.ts';
import { oncePerForm } from './response/once-per-form.ts';
import { takesIdempotencyKey } from './response/declared-codes.ts';
import { sealFor } from './response/seal.ts';
import { send, type HttpResponse } from './response/write-response.ts';
import { lineOf, requestLine, type Trail } from './audit/trail.ts';
import type { Caller } from './auth/caller.ts';
import { refuseBeyondKey, resolveScope } from './auth/resolve-scope.ts';
import { compileOperation } from './compile-operation.ts';
import { hostCookieName } from '../operation/host-cookie.ts';
import type { Operation } from '../operation/operation.ts';
import { takeBatches, UnreadBatch } from './input/batch-body.ts';
import { cookieOf } from './auth/cookie.ts';
import type { ReadForm } from './input/form-body.ts';
import type { Input } from './input/read-input.ts';
import { takeStreams } from './input/stream-body.ts';
import { takeWebForms } from './input/web-form-body.ts';
import type { ArrivingBatches } from './limits/arriving-batches.ts';
import type { RequestPermits } from './limits/request-permits.ts';
import type { UnreadResponses } from './limits/unread-responses.ts';
import { isForm, isStream } from '../operation/media.ts';

/**
 * A revocation notifies the other processes, and each of them then clears its cache of keys. We delay the response by
 * this time, so that every process refuses the revoked key by then.
 */
const HEARD_EVERYWHERE_MS = 50;

/**
 * How the work of a request may pause. `aside` gives its permit to others for a while. `giveWay` lets interactive
 * requests run first. `gone` aborts when nobody waits for the response.
 */
type Pauses = Pick<TeamCtx, 'aside' | 'giveWay' | 'gone'> & {
  /**
   * Set if the request does not have a permit for its entire duration. Each of its database calls then takes a permit.
   */
  withPermit?: WithPermit;
};

type ReadInput = (giveWay?: GiveWay) => Promise<Input>;
type Carry = (input: Input, pauses: Pauses) => Promise<HttpResponse>;

/** Limits that all requests of a process share. */
type Limits = { permits: RequestPermits; batches: BatchScheduler; arriving: ArrivingBatches; unread: UnreadResponses };

/**
 * Adds the route of an operation. For each request, the route reads and checks the input, resolves the scope and runs
 * the service function. It runs the service function once per idempotency key, and in a transaction if the operation
 * changes something. Then the route writes the audit line and the response.
 */
export function addRoute(
  server: FastifyInstance,
  operation: Operation,
  { permits, batches, arriving, unread }: Limits,
): void {
  const { readInput, toResponse, ids } = compileOperation(operation);
  // A stream may take long. Its service function opens a transaction for each part that it has read.
  const inOneTransaction = operation.method !== 'GET' && !isStream(operation.body) && !operation.waits;

  const respond = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const caller = request.caller as Caller;
    const key = takesIdempotencyKey(operation) ? headerOf(request, 'x-idempotency-key') : null;
    const owner = ownerOf(request);
    if (owner) batches.hear(owner);
    const read: ReadInput = async (giveWay) => {
      const input = await readInput(request, key, giveWay);
      request.trail?.records.push(...ids().ofInput(input));
      return input;
    };
    const carry: Carry = (input, pauses) => carryOut(request, reply, { caller, key, input, pauses });
    const response = await carryOutWithPermits(
      { request, reply, operation, owner },
      { permits, batches },
      { read, carry },
    );
    // The request has no permit while it waits, so other requests can revoke keys meanwhile.
    if (operation.revokes) await wait(HEARD_EVERYWHERE_MS);
    send(reply, operation, response);
  };

  const carryOut = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { caller, key, input, pauses }: { caller: Caller; key: string | null; input: Input; pauses: Pauses },
  ): Promise<HttpResponse> => {
    unread.refuseWithoutReader(request);
    const own = pauses.withPermit ? withPermitPerConnection(caller.ctx, pauses.withPermit) : caller.ctx;
    const resolved = await resolveScope(operation, own, input);
    const stillOpens = (): Promise<void> => refuseIfEnded(operation, caller, input);
    const lasting = () => ({ ...resolved, stillOpens, gone: pauses.gone ?? goneOf(reply) });
    const line = requestLine(request);
    const ctx = { ...pausing(operation, operation.lasts ? lasting() : resolved, pauses), line };
    if (request.trail) request.trail.team_id ??= (ctx as Partial<TeamCtx>).team?.id ?? null;

    // A HEAD request must not start work that lasts (`operation.lasts`).
    if (request.method === 'HEAD' && operation.lasts) return withoutBody(operation);
    const cookie = ownCookie(request, operation, ctx);
    const keyed =
      key === null ? null : keyedRequest(request, operation, { caller, key, input: { ...input, ...reachOf(ctx) } });
    const given = isForm(operation.body)
      ? { ...input, body: { ...(input.body as ReadForm), once: oncePerForm(keyed, (value) => toResponse()(value)) } }
      : input;
    const perform = async (ctx: Ctx | TxCtx): Promise<HttpResponse> => {
      const headers = Object.fromEntries(operation.headers.map((name) => [name, headerOf(request, name)]));
      const value = await operation.handle(ctx as never, { ...given, cookie, headers } as never);
      line.names(...ids().ofResponse(value));
      return toResponse()(value);
    };
    if (!inOneTransaction) return perform(ctx);

    const response = await inTransaction(ctx, async (tx) => {
      const response = keyed ? await oncePerKey(tx, keyed, perform) : await perform(tx);
      if (request.trail) await writeBeside(tx, operation, { input, trail: request.trail, status: response.status });
      return response;
    });
    if (request.trail) request.trail.written = true;
    return response;
  };

  register(server, operation, (request, reply) => respond(request, reply).then(() => reply), arriving);
}

/** Returns the value of the cookie that the operation names, or null. */
const ownCookie = ({ headers }: FastifyRequest, { cookie }: Operation, { config }: Ctx): string | null =>
  cookie === null ? null : cookieOf(headers.cookie, hostCookieName(config, cookie));

type RoutedRequest = { request: FastifyRequest; reply: FastifyReply; operation: Operation; owner: Owner | undefined };

/**
 * Reads a request and runs it with the permits that it needs. The permits are free again when this function returns.
 */
async function carryOutWithPermits(
  { request, reply, operation, owner }: RoutedRequest,
  { permits, batches }: Pick<Limits, 'permits' | 'batches'>,
  { read, carry }: { read: ReadInput; carry: Carry },
): Promise<HttpResponse> {
  // A stream waits for its sender, and would keep its permit from others. So the request takes a permit only for each
  // database call.
  if (isStream(operation.body))
    return carry(await read(), owner ? { withPermit: (work) => permits.run(operation, owner, work) } : {});
  if (!owner) return permits.runAnonymous(operation, request, async () => carry(await read(), {}));
  // A request permit is for the database. A large batch takes a permit of the batch scheduler instead. A request with
  // both would occupy one permit while it waits for the other.
  if (!(request.body instanceof UnreadBatch && (await request.body.isBulky()))) {
    const input = await read();
    return permits.run(operation, owner, (aside) =>
      batches.runInteractive(owner, (apart) =>
        carry(input, { aside: (pause) => apart(() => aside(pause)), ...goneWhere(operation.waits, reply) }),
      ),
    );
  }
  return runBatch(batches, owner, async (giveWay) => carry(await read(giveWay), { giveWay }));
}

/** Returns the data that identifies the request for its idempotency key, or null if the caller has no key of ours. */
function keyedRequest(
  request: FastifyRequest,
  operation: Operation,
  { caller, key, input }: { caller: Caller; key: string; input: object },
): KeyedRequest | null {
  const { trail } = request;
  return (
    trail && {
      scopeId: trail.team_id ?? trail.key.org_id,
      operation: operation.id,
      key,
      input,
      requestId: request.id,
      successesOnly: headerOf(request, 'x-idempotency-error') === 'no-cache',
      seal: operation.secretResponse ? sealFor(caller.apiKey) : null,
    }
  );
}

const withoutBody = ({ status }: Operation): HttpResponse => ({ status, body: '' });

/** Adds to `ctx` only the pauses that this operation may use. */
function pausing<C extends Ctx>({ waits }: Operation, ctx: C, { aside, giveWay, gone }: Pauses): C {
  if (giveWay) return { ...ctx, giveWay };
  return waits && aside ? { ...ctx, aside, ...(gone ? { gone } : {}) } : ctx;
}

/** Throws the error that the same request would get now. For example, somebody may have revoked its key meanwhile. */
async function refuseIfEnded(operation: Operation, caller: Caller, input: Input): Promise<void> {
  const again = await caller.again?.();
  if (!again) return;
  if ('refusal' in again) throw again.refusal;
  refuseBeyondKey(operation, again);
  await resolveScope(operation, again.ctx, input);
}

/** Returns a signal that aborts when the response is finished or the client has disconnected. */
function goneOf({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (raw.closed) gone.abort();
  raw.once('close', () => gone.abort());
  return gone.signal;
}

const goneWhere = (waits: boolean, reply: FastifyReply): Pick<Pauses, 'gone'> => (waits ? { gone: goneOf(reply) } : {});

/** Runs `work` when the batch scheduler admits the team. Throws not_ready if too many batches of the team wait. */
function runBatch<T>(batches: BatchScheduler, owner: Owner, work: (giveWay: GiveWay) => Promise<T>): Promise<T> {
  if (batches.isFull(owner))
    throw new AppError('not_ready', 'Too many batches of this team are waiting. Send this one again shortly.');
  return batches.run(owner, work);
}

/** Registers the route, with the body parser that the operation needs. */
function register(
  server: FastifyInstance,
  operation: Operation,
  handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
  arriving: ArrivingBatches,
): void {
  const route = {
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { operation },
    handler,
  };
  const { body } = operation;
  if (body === undefined || !('media' in body)) server.route(route);
  else {
    void server.register(async (own) => {
      if (body.media === 'batch')
        takeBatches(own, body, (request, bytes) => arriving.take(ownerOf(request) ?? NOBODY, bytes));
      else if (body.media === 'web_form') takeWebForms(own);
      else takeStreams(own, body);
      own.route({ ...route, ...(body.media === 'batch' ? { bodyLimit: body.maxBytes } : {}) });
    });
  }
}

/**
 * Returns the team and the organisation of the request, or undefined if the caller has no key of ours. A request
 * without a team uses the id of its management key instead of a team id. So one busy management key does not block the
 * other keys.
 */
const ownerOf = ({ trail }: FastifyRequest): Owner | undefined =>
  trail ? { org: trail.key.org_id, team: trail.team_id ?? trail.key.id } : undefined;

/**
 * Returns the rights of the caller that can change the response. We store them with the input of the request. So two
 * requests with the same idempotency key and equal input count as different if their keys have different rights.
 */
function reachOf(ctx: Ctx): object {
  const { key, team, link, keyScopes } = ctx as Partial<ManagementCtx & LinkCtx>;
  if (link) return { user: link.user.id };
  if (key) return { team_ids: key.team_ids, team: team?.id };
  return keyScopes ? { scopes: keyScopes.toSorted() } : {};
}

/**
 * Writes in the transaction of the change: adds the audit line, and deletes the stored responses that name a person
 * whom the operation erases.
 */
async function writeBeside(
  tx: TxCtx,
  operation: Operation,
  { input, trail, status }: { input: Input; trail: Trail; status: number },
): Promise<void> {
  const { params } = input as { params: Record<string, string> };
  const erased = operation.erases && params[operation.erases];
  if (erased) await eraseNaming(tx, trail.team_id ?? trail.key.org_id, [erased]);
  await recordAtCommit(tx, lineOf(trail, status));
}

const NOBODY: Owner = { org: '', team: '' };

function headerOf(request: FastifyRequest, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : null;
}
