import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { throwIfKeyIsUnknown } from '../../privacy/missing-encryption-key.ts';
import { IDEMPOTENCY_HOURS } from './idempotency.ts';

const BATCH = 200;

type ResponseKey = { operation: string; key: string };
type StoredResponse = ResponseKey & { body: Buffer };

/**
 * Deletes stored responses of a team or organisation that contain one of these ids. If `since` is given, it deletes
 * only responses since then. It also deletes all expired responses. Responses are sealed, so this function decrypts
 * each of them, once for all ids. Outside of a transaction, it uses one transaction per page of rows.
 * The function does not find a response that describes a user without the user's id. Such a response has expired
 * already: we erase a user seven days after the request for deletion, and responses expire after one day.
 */
export async function eraseNaming(
  ctx: Ctx | TxCtx,
  scopeId: string,
  named: string[],
  since = '-infinity',
): Promise<void> {
  await sql`
    delete from idempotency_keys where scope_id = ${scopeId}
       and created_at < now() - make_interval(hours => ${IDEMPOTENCY_HOURS})`.execute(ctx.db);
  for (let last: ResponseKey | undefined = { operation: '', key: '' }; last;) {
    const { operation, key }: ResponseKey = last;
    last = await inTransaction<Ctx, ResponseKey | undefined>(ctx, async (tx) => {
      const { rows } = await sql<StoredResponse>`
        select operation, key, body from idempotency_keys
         where scope_id = ${scopeId} and (operation, key) > (${operation}, ${key}) and created_at >= ${since}
         order by operation, key limit ${BATCH}`.execute(tx.db);
      await drop(tx, scopeId, findNaming(tx, scopeId, rows, named));
      return rows.length < BATCH ? undefined : rows.at(-1);
    });
  }
}

/**
 * Returns a time before the creation of every response that is not committed yet. No transaction of a request takes a
 * minute.
 */
export async function responsesStillToCome({ db }: Pick<Ctx, 'db'>): Promise<string> {
  const { rows } = await sql<{ since: string }>`select (now() - interval '1 minute')::text as since`.execute(db);
  return rows[0]?.since as string;
}

/**
 * Returns the responses that contain one of the ids `named`. Also returns the responses that we cannot decrypt. We
 * cannot know which ids they contain, and no client can get them again.
 */
function findNaming(
  { cipher, log }: TxCtx,
  scopeId: string,
  rows: StoredResponse[],
  named: string[],
): StoredResponse[] {
  let damaged = 0;
  const naming = rows.filter(({ operation, key, body }) => {
    try {
      const text = cipher.openText('idempotency_keys.body', { team_id: scopeId, id: `${operation}/${key}` }, body);
      return named.some((id) => text.includes(id));
    } catch (error) {
      throwIfKeyIsUnknown(error);
      damaged += 1;
      return true;
    }
  });
  if (damaged > 0)
    log.error({ scope_id: scopeId, responses: damaged }, 'stored responses that do not open were erased');
  return naming;
}

async function drop({ db }: TxCtx, scopeId: string, responses: StoredResponse[]): Promise<void> {
  if (responses.length === 0) return;
  const [operations, keys] = [responses.map(({ operation }) => operation), responses.map(({ key }) => key)];
  await sql`
    delete from idempotency_keys where scope_id = ${scopeId} and (operation, key) in (
      select * from unnest(${operations}::text[], ${keys}::text[]))`.execute(db);
}

export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('scope_id', '=', team.id).execute();
}

export async function dropExpired(ctx: Ctx): Promise<void> {
  await sql`
    delete from idempotency_keys where created_at < now() - make_interval(hours => ${IDEMPOTENCY_HOURS})`.execute(
    ctx.db,
  );
}
