import { sql } from 'kysely';
import type { TxCtx } from '../../context.ts';
import { prepared } from '../../db/session/prepared.ts';
import { runAhead } from '../../db/transaction.ts';
import { tryLockNameAhead, WAS_FREE } from '../../db/session/named-lock.ts';
import { AppError } from '../../errors.ts';
import { errorAnswer } from '../errors.ts';
import { refuseOfLeaving } from './refuse-of-leaving.ts';
import type { Seal } from './seal.ts';
import type { Answer } from './write.ts';

export type KeyedRequest = {
  /** The caller's team, or organisation on the management API. */
  scopeId: string;
  operation: string;
  key: string;
  /** Everything that makes it this request: validated path, query and body. */
  input: unknown;
  requestId: string;
  /** Stores successes only (X-Idempotency-Error: no-cache). */
  successesOnly: boolean;
  /** Where the answer shows a secret. */
  seal: Seal | null;
};

export const IDEMPOTENCY_HOURS = 24;

/** How long an answer that shows a secret is repeated: enough for a retry, and no secret made here ends sooner by itself. */
export const SECRET_MINUTES = 5;

/** Clients that build a body anew for a retry may order its keys in another way: it is the same request. */
function inKeyOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

type Stored = { request_hash: Buffer; status: number; body: Buffer; new_enough: boolean };

/** The answer that was stored for the key, of the last 24 hours. Throws idempotency_in_flight where its request still runs. */
async function findStoredOrNull(db: TxCtx['db'], { scopeId, operation, key }: KeyedRequest): Promise<Stored | null> {
  const { rows } = await sql<{ was_free: boolean } & (Stored | { [K in keyof Stored]: null })>`
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
 * Runs `work` once per key, in the transaction of `ctx`. The key's row commits together with the change it guards, so a crash leaves neither;
 * an advisory lock, not a row, tells that a key is in flight, because a lock dies with its connection.
 */
export async function oncePerKey<C extends TxCtx>(
  ctx: C,
  request: KeyedRequest,
  work: (ctx: C) => Promise<Answer>,
): Promise<Answer> {
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
    await refuseOfLeaving(ctx, request, body);
    if (request.seal && stored.status < 400 && !stored.new_enough)
      throw new AppError(
        'idempotency_answer_ended',
        `This request was answered more than ${SECRET_MINUTES} minutes ago with a secret, which may have ended since and is ` +
          'not shown again. Nothing was made anew. Use a new X-Idempotency-Key to make another.',
      );
    return { status: stored.status, body };
  }

  await runAhead(db, sql`savepoint work`);
  let answer: Answer;
  try {
    answer = await work(ctx);
  } catch (error) {
    const refusal = errorAnswer(error, request.requestId);
    if (refusal?.status !== 400 || request.successesOnly) throw error;
    await sql`rollback to savepoint work`.execute(db);
    answer = { status: 400, body: JSON.stringify(refusal.body) };
  }
  const text = request.seal ? request.seal.close(String(answer.body)) : String(answer.body);
  const kept = {
    request_hash: hash,
    status: answer.status,
    body: ctx.cipher.sealText('idempotency_keys.body', row, text),
  };
  const storing = db
    .insertInto('idempotency_keys')
    .values({ scope_id: request.scopeId, operation: request.operation, key: request.key, ...kept })
    .onConflict((oc) => oc.columns(['scope_id', 'operation', 'key']).doUpdateSet({ ...kept, created_at: sql`now()` }))
    .$call(prepared('store answer'));
  await runAhead(db, storing);
  return answer;
}
