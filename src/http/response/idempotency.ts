import { sql } from 'kysely';
import type { TxCtx } from '../../context.ts';
import { prepared } from '../../db/session/prepared.ts';
import { sendWithNext } from '../../db/transaction.ts';
import { tryLockNameAhead, WAS_FREE } from '../../db/session/named-lock.ts';
import { AppError } from '../../errors.ts';
import { errorResponse } from '../error-response.ts';
import { refuseIfUserIsScheduled } from './refuse-scheduled-user.ts';
import type { Seal } from './seal.ts';
import type { HttpResponse } from './write-response.ts';

export type KeyedRequest = {
  /** The id of the caller's team. For an operation of the management API, the id of the organisation. */
  scopeId: string;
  operation: string;
  key: string;
  /** The validated path, query and body. They identify the request. */
  input: unknown;
  requestId: string;
  /** True if we store only successful responses (X-Idempotency-Error: no-cache). */
  successesOnly: boolean;
  /** Set if the response contains a secret. */
  seal: Seal | null;
};

export const IDEMPOTENCY_HOURS = 24;

/**
 * How long we repeat a response that contains a secret, such as a token. This is long enough for a retry. Every secret
 * that we make is valid for at least this time, so we never repeat an expired secret.
 */
export const SECRET_MINUTES = 5;

/**
 * Returns the object with sorted keys. For a retry, a client may build the body again with its keys in another order.
 * The two bodies must count as equal.
 */
function inKeyOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

type StoredResponse = { request_hash: Buffer; status: number; body: Buffer; new_enough: boolean };

/**
 * Returns the stored response of the last 24 hours for the key, or null. Throws idempotency_in_flight while the first
 * request with this key is still running.
 */
async function findStoredOrNull(
  db: TxCtx['db'],
  { scopeId, operation, key }: KeyedRequest,
): Promise<StoredResponse | null> {
  const { rows } = await sql<{ was_free: boolean } & (StoredResponse | { [K in keyof StoredResponse]: null })>`
    select ${WAS_FREE} as was_free, stored.request_hash, stored.status, stored.body,
           stored.created_at > now() - make_interval(mins => ${SECRET_MINUTES}) as new_enough
      from (select) as one left join idempotency_keys as stored
        on stored.scope_id = ${scopeId} and stored.operation = ${operation} and stored.key = ${key}
       and stored.created_at > now() - make_interval(hours => ${IDEMPOTENCY_HOURS})`.execute(db);
  const [row] = rows;
  if (row?.was_free !== true)
    throw new AppError(
      'idempotency_in_flight',
      'A request with this X-Idempotency-Key is still running. Try again shortly.',
    );
  return row.request_hash === null ? null : row;
}

/**
 * Runs `work` once per idempotency key, in the transaction of `ctx`. The row of the key commits together with the
 * change, so after a crash either both exist or neither. An advisory lock marks a key as in flight. If the process
 * dies, the database releases the lock with the connection. If we used a row as the mark, the key would stay in flight
 * after a crash.
 */
export async function oncePerKey<C extends TxCtx>(
  ctx: C,
  request: KeyedRequest,
  work: (ctx: C) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const hash = ctx.cipher.lookupHash('request', request.scopeId, JSON.stringify(request.input, inKeyOrder));
  const row = { team_id: request.scopeId, id: `${request.operation}/${request.key}` };
  const { db } = ctx;
  await tryLockNameAhead(db, 'request', request.scopeId, request.operation, request.key);
  const stored = await findStoredOrNull(db, request);
  if (stored) {
    const text = ctx.cipher.openText('idempotency_keys.body', row, stored.body);
    const body = request.seal ? request.seal.open(text) : text;
    if (body === null || !hash.equals(stored.request_hash))
      throw new AppError(
        'idempotency_mismatch',
        'This X-Idempotency-Key was used with another request in the last 24 hours. Use a new key.',
      );
    await refuseIfUserIsScheduled(ctx, request, body);
    if (request.seal && stored.status < 400 && !stored.new_enough)
      throw new AppError(
        'idempotency_answer_ended',
        `The response to this request is more than ${SECRET_MINUTES} minutes old. It contained a secret, ` +
          'which may have expired since, so it is not shown again. This request created nothing. Use a new ' +
          'X-Idempotency-Key to create another secret.',
      );
    return { status: stored.status, body };
  }

  await sendWithNext(db, sql`savepoint work`);
  let response: HttpResponse;
  try {
    response = await work(ctx);
  } catch (error) {
    const refusal = errorResponse(error, request.requestId);
    if (refusal?.status !== 400 || request.successesOnly) throw error;
    await sql`rollback to savepoint work`.execute(db);
    response = { status: 400, body: JSON.stringify(refusal.body) };
  }
  const text = request.seal ? request.seal.close(String(response.body)) : String(response.body);
  const storedResponse = {
    request_hash: hash,
    status: response.status,
    body: ctx.cipher.sealText('idempotency_keys.body', row, text),
  };
  const storing = db
    .insertInto('idempotency_keys')
    .values({ scope_id: request.scopeId, operation: request.operation, key: request.key, ...storedResponse })
    .onConflict((oc) =>
      oc.columns(['scope_id', 'operation', 'key']).doUpdateSet({ ...storedResponse, created_at: sql`now()` }),
    )
    .$call(prepared('store response'));
  await sendWithNext(db, storing);
  return response;
}
