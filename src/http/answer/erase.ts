import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { throwIfKeyIsUnknown } from '../../privacy/unknown-key.ts';
import { IDEMPOTENCY_HOURS } from './idempotency.ts';

const BATCH = 200;

type Place = { operation: string; key: string };
type StoredAnswer = Place & { body: Buffer };

/**
 * Stored answers to a team, or to an organisation, that name one of these people: of the last day, or of those made since;
 * and those that have expired. Answers are sealed, so what they hold is read by opening them: for many people at once, a
 * page in a transaction of its own where there is none yet. One that tells of a user without the id was made before the
 * deletion, and has expired.
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
  for (let last: Place | undefined = { operation: '', key: '' }; last;) {
    const { operation, key }: Place = last;
    last = await inTransaction<Ctx, Place | undefined>(ctx, async (tx) => {
      const { rows } = await sql<StoredAnswer>`
        select operation, key, body from idempotency_keys
         where scope_id = ${scopeId} and (operation, key) > (${operation}, ${key}) and created_at >= ${since}
         order by operation, key limit ${BATCH}`.execute(tx.db);
      await drop(tx, scopeId, findNaming(tx, scopeId, rows, named));
      return rows.length < BATCH ? undefined : rows.at(-1);
    });
  }
}

/** The moment from which on answers are not committed yet by now: no transaction of a request lasts for a minute. */
export async function answersStillToCome({ db }: Pick<Ctx, 'db'>): Promise<string> {
  const { rows } = await sql<{ since: string }>`select (now() - interval '1 minute')::text as since`.execute(db);
  return rows[0]?.since as string;
}

/** One that does not open repeats nothing to anybody, and who it names cannot be told: it goes, too. */
function findNaming({ cipher, log }: TxCtx, scopeId: string, rows: StoredAnswer[], named: string[]): StoredAnswer[] {
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
  if (damaged > 0) log.error({ scope_id: scopeId, answers: damaged }, 'stored answers that do not open were erased');
  return naming;
}

async function drop({ db }: TxCtx, scopeId: string, answers: StoredAnswer[]): Promise<void> {
  if (answers.length === 0) return;
  await sql`
    delete from idempotency_keys where scope_id = ${scopeId} and (operation, key) in (
      select * from unnest(${answers.map(({ operation }) => operation)}::text[], ${answers.map(({ key }) => key)}::text[]))`.execute(
    db,
  );
}

export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('scope_id', '=', team.id).execute();
}

/** Drops answers that are no longer replayed. */
export async function dropExpired(ctx: Ctx): Promise<void> {
  await sql`
    delete from idempotency_keys where created_at < now() - make_interval(hours => ${IDEMPOTENCY_HOURS})`.execute(
    ctx.db,
  );
}
