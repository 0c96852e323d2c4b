import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { recordAtCommit } from '../audit/record.ts';
import type { BulkWork, GiveWay } from '../bulk-work.ts';
import type { Ctx, LinkCtx, ManagementCtx, TeamCtx, TxCtx } from '../context.ts';
import { takingTurns, type InTurn } from '../db/session/bind.ts';
import { inTransaction } from '../db/transaction.ts';
import { AppError } from '../errors.ts';
import type { Owner } from '../fair/round-robin.ts';
import { eraseNaming } from './answer/erase.ts';
import { oncePerKey, type KeyedRequest } from './answer/idempotency.ts';
import { oncePerForm } from './answer/once-per-form.ts';
import { takesIdempotencyKey } from './answer/refusals.ts';
import { sealFor } from './answer/seal.ts';
import { compileAnswer, send, type Answer } from './answer/write.ts';
import { recordIdsOf } from './audit/record-ids.ts';
import { lineOf, requestLine, type Trail } from './audit/trail.ts';
import type { Caller } from './auth/caller.ts';
import { refuseBeyondKey, resolveScope } from './auth/scope.ts';
import type { Endpoint } from './endpoint.ts';
import { takeBatches, UnreadBatch } from './input/batch-body.ts';
import type { ReadForm } from './input/form-body.ts';
import { inputReader, type Input } from './input/read-input.ts';
import { takeStreams } from './input/stream-body.ts';
import { takeWebForms } from './input/web-form-body.ts';
import type { ArrivingBatches } from './limits/arriving-batches.ts';
import type { RequestPermits } from './limits/request-permits.ts';
import type { UnreadAnswers } from './limits/unread-answers.ts';
import { isForm, isStream } from './media.ts';

/**
 * The notification that empties the other processes' caches travels beside the answer to a revocation: holding the
 * answer for a moment lets it win, so that whoever reads the answer finds the key refused everywhere.
 */
const HEARD_EVERYWHERE_MS = 50;

/** How what a request asks for may pause: without its place, or for others; and until when somebody waits for the answer. */
type Pauses = Pick<TeamCtx, 'aside' | 'giveWay' | 'gone'> & {
  /** Where the request has no place as a whole: what it asks the database has one each time. */
  inTurn?: InTurn;
};

type Read = (giveWay?: GiveWay) => Promise<Input>;
type Carry = (input: Input, pauses: Pauses) => Promise<Answer>;

/** What the requests of a process share. */
type Limits = { permits: RequestPermits; bulk: BulkWork; arriving: ArrivingBatches; unread: UnreadAnswers };

/**
 * Makes an endpoint a route: input read and checked at once, the scope settled, the verb run (once per idempotency key,
 * and in a transaction where it changes something), the answer and the line in the audit log written.
 */
export function addRoute(
  server: FastifyInstance,
  endpoint: Endpoint,
  { permits, bulk, arriving, unread }: Limits,
): void {
  const readInput = inputReader(endpoint);
  const toAnswer = lazily(() => compileAnswer(endpoint));
  const ids = lazily(() => recordIdsOf(endpoint));
  // A stream may last: its verb takes transactions of its own for what it has read.
  const inOneTransaction = endpoint.method !== 'GET' && !isStream(endpoint.body) && !endpoint.waits;

  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const caller = request.caller as Caller;
    const key = takesIdempotencyKey(endpoint) ? headerOf(request, 'x-idempotency-key') : null;
    const owner = ownerOf(request);
    if (owner) bulk.hear(owner);
    const read: Read = async (giveWay) => {
      const input = await readInput(request, key, giveWay);
      request.trail?.records.push(...ids().ofInput(input));
      return input;
    };
    const carry: Carry = (input, pauses) => carryOut(request, reply, { caller, key, input, pauses });
    const answer = await inPlace({ request, reply, endpoint, owner }, { permits, bulk }, { read, carry });
    // Without a permit: meanwhile another key is revoked.
    if (endpoint.revokes) await wait(HEARD_EVERYWHERE_MS);
    send(reply, endpoint, answer);
  };

  const carryOut = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { caller, key, input, pauses }: { caller: Caller; key: string | null; input: Input; pauses: Pauses },
  ): Promise<Answer> => {
    unread.refuseWhoReadsNothing(request);
    const own = pauses.inTurn ? takingTurns(caller.ctx, pauses.inTurn) : caller.ctx;
    const resolved = await resolveScope(endpoint, own, input);
    const stillOpens = (): Promise<void> => refuseIfEnded(endpoint, caller, input);
    const lasting = () => ({ ...resolved, stillOpens, gone: pauses.gone ?? goneOf(reply) });
    const line = requestLine(request);
    const ctx = { ...pausing(endpoint, endpoint.lasts ? lasting() : resolved, pauses), line };
    if (request.trail) request.trail.team_id ??= (ctx as Partial<TeamCtx>).team?.id ?? null;

    // Whoever asks only whether it is there sets nothing going that lasts.
    if (request.method === 'HEAD' && endpoint.lasts) return withoutBody(endpoint);
    const cookie = endpoint.cookie === null ? null : cookieOf(request, endpoint.cookie);
    const keyed =
      key === null ? null : keyedRequest(request, endpoint, { caller, key, input: { ...input, ...reachOf(ctx) } });
    const given = isForm(endpoint.body)
      ? { ...input, body: { ...(input.body as ReadForm), once: oncePerForm(keyed, (value) => toAnswer()(value)) } }
      : input;
    const perform = async (ctx: Ctx | TxCtx): Promise<Answer> => {
      const headers = Object.fromEntries(endpoint.headers.map((name) => [name, headerOf(request, name)]));
      const value = await endpoint.handle(ctx as never, { ...given, cookie, headers } as never);
      line.names(...ids().ofAnswer(value));
      return toAnswer()(value);
    };
    if (!inOneTransaction) return perform(ctx);

    const answer = await inTransaction(ctx, async (tx) => {
      const answer = keyed ? await oncePerKey(tx, keyed, perform) : await perform(tx);
      if (request.trail) await writeBeside(tx, endpoint, { input, trail: request.trail, status: answer.status });
      return answer;
    });
    if (request.trail) request.trail.written = true;
    return answer;
  };

  register(server, endpoint, (request, reply) => answer(request, reply).then(() => reply), arriving);
}

type Asked = { request: FastifyRequest; reply: FastifyReply; endpoint: Endpoint; owner: Owner | undefined };

/** Reads a request and carries it out in the places that it needs, which it has given back by the time that it is answered. */
async function inPlace(
  { request, reply, endpoint, owner }: Asked,
  { permits, bulk }: Pick<Limits, 'permits' | 'bulk'>,
  { read, carry }: { read: Read; carry: Carry },
): Promise<Answer> {
  // What a stream waits for is its sender: it has a permit only while it asks the database.
  if (isStream(endpoint.body))
    return carry(await read(), owner ? { inTurn: (work) => permits.run(endpoint, owner, work) } : {});
  if (!owner) return permits.runStranger(endpoint, request, async () => carry(await read(), {}));
  // A permit is one for the database, and what is bulky has places of its own: whoever had both would wait for one with
  // the other.
  if (!(request.body instanceof UnreadBatch && (await request.body.isBulky()))) {
    const input = await read();
    return permits.run(endpoint, owner, (aside) =>
      bulk.little(owner, (apart) =>
        carry(input, { aside: (pause) => apart(() => aside(pause)), ...goneWhere(endpoint.waits, reply) }),
      ),
    );
  }
  return inTurn(bulk, owner, async (giveWay) => carry(await read(giveWay), { giveWay }));
}

/** What an idempotency key is known by; null of who needs no key of the service. */
function keyedRequest(
  request: FastifyRequest,
  endpoint: Endpoint,
  { caller, key, input }: { caller: Caller; key: string; input: object },
): KeyedRequest | null {
  const { trail } = request;
  return (
    trail && {
      scopeId: trail.team_id ?? trail.key.org_id,
      operation: endpoint.id,
      key,
      input,
      requestId: request.id,
      successesOnly: headerOf(request, 'x-idempotency-error') === 'no-cache',
      seal: endpoint.secretAnswer ? sealFor(caller.apiKey) : null,
    }
  );
}

const withoutBody = ({ status }: Endpoint): Answer => ({ status, body: '' });

/** A context knows only the pauses that what it is for can make. */
function pausing<C extends Ctx>({ waits }: Endpoint, ctx: C, { aside, giveWay, gone }: Pauses): C {
  if (giveWay) return { ...ctx, giveWay };
  return waits && aside ? { ...ctx, aside, ...(gone ? { gone } : {}) } : ctx;
}

/** Throws what the same request would be refused with now, as when its key was revoked meanwhile. */
async function refuseIfEnded(endpoint: Endpoint, caller: Caller, input: Input): Promise<void> {
  const again = await caller.again?.();
  if (!again) return;
  if ('refusal' in again) throw again.refusal;
  refuseBeyondKey(endpoint, again);
  await resolveScope(endpoint, again.ctx, input);
}

/** Aborted when the client has its answer, or has gone away before. */
function goneOf({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (raw.closed) gone.abort();
  raw.once('close', () => gone.abort());
  return gone.signal;
}

const goneWhere = (waits: boolean, reply: FastifyReply): Pick<Pauses, 'gone'> => (waits ? { gone: goneOf(reply) } : {});

/** When the team's turn comes. Throws not_ready where too many wait for it. */
function inTurn<T>(bulk: BulkWork, owner: Owner, work: (giveWay: GiveWay) => Promise<T>): Promise<T> {
  if (bulk.isFull(owner))
    throw new AppError('not_ready', 'Too many batches of this team wait here. Send this one again shortly.');
  return bulk.run(owner, work);
}

/** Under its path, with the way its body is read. */
function register(
  server: FastifyInstance,
  endpoint: Endpoint,
  handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
  arriving: ArrivingBatches,
): void {
  const route = {
    method: endpoint.method,
    url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { endpoint },
    handler,
  };
  const { body } = endpoint;
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

/** The team that asks, or the management key, so that one key that floods is not in the way of the others; undefined of who needs none. */
const ownerOf = ({ trail }: FastifyRequest): Owner | undefined =>
  trail ? { org: trail.key.org_id, team: trail.team_id ?? trail.key.id } : undefined;

/** What of the caller decides about the answer: the same words by a key of another reach are another request. */
function reachOf(ctx: Ctx): object {
  const { key, team, link, keyScopes } = ctx as Partial<ManagementCtx & LinkCtx>;
  if (link) return { user: link.user.id };
  if (key) return { team_ids: key.team_ids, team: team?.id };
  return keyScopes ? { scopes: keyScopes.toSorted() } : {};
}

/** What goes with the change: no answer that was kept tells of whom it erased, and the audit log tells of it. */
async function writeBeside(
  tx: TxCtx,
  endpoint: Endpoint,
  { input, trail, status }: { input: Input; trail: Trail; status: number },
): Promise<void> {
  const { params } = input as { params: Record<string, string> };
  const erased = endpoint.erases && params[endpoint.erases];
  if (erased) await eraseNaming(tx, trail.team_id ?? trail.key.org_id, [erased]);
  await recordAtCommit(tx, lineOf(trail, status));
}

const NOBODY: Owner = { org: '', team: '' };

function headerOf(request: FastifyRequest, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The first of that name, as browsers send the one with the longest path first (RFC 6265 5.4). */
function cookieOf(request: FastifyRequest, name: string): string | null {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
