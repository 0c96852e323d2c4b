// Where there is no row to lock for what takes turns, a name is locked, until the transaction ends.
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Tx } from '../open.ts';
import { runAhead } from '../transaction.ts';

/** Everything that takes turns by a name, and how the name is made: no two kinds make the same one. */
const NAMES = {
  bootstrap: () => 'bootstrap',
  // What came in of a user has one writer.
  writer: (teamId: string, userId: string) => `${teamId} ${userId}`,
  'account at a provider': (teamId: string, hash: string) => `${teamId} ${hash}`,
  credentials: (teamId: string, provider: string) => `credentials ${teamId} ${provider}`,
  limit: (limit: string, ownerId: string) => `${limit} ${ownerId}`,
  integration_team_id: (orgId: string, id: string) => `integration_team_id ${orgId} ${id}`,
  payor: (teamId: string, provider: string, code: string) => `payor ${teamId} ${provider} ${code}`,
  sample: (sampleId: string) => `sample ${sampleId}`,
  'tracking number': (hash: string) => `tracking ${hash}`,
  resends: (teamId: string) => `resend ${teamId}`,
  replays: (teamId: string) => `replays ${teamId}`,
  mails: (orgId: string) => `mails ${orgId}`,
  'event pipeline': (teamId: string) => `event pipeline ${teamId}`,
  uploads: (orgId: string) => `uploads ${orgId}`,
  'claim of a file': (queue: string) => `claim a file of ${queue}`,
  'lab reports': (orgId: string) => `lab reports ${orgId}`,
  request: (scopeId: string, operation: string, key: string) => `${scopeId} ${operation} ${key}`,
};
type Kind = keyof typeof NAMES;
type Of<K extends Kind> = Parameters<(typeof NAMES)[K]>;

const nameOf = <K extends Kind>(kind: K, of: Of<K>): string => (NAMES[kind] as (...of: Of<K>) => string)(...of);

/**
 * The number that is locked. Names have words that callers chose, as idempotency keys, and all teams share the numbers: with a hash that is
 * made for tables, as hashtextextended, somebody could compute a word that holds up another team.
 */
export const lockNumberOf = (name: string): string =>
  createHash('sha256').update(name).digest().readBigInt64BE().toString();

const lockOf = (name: string) => sql`select pg_advisory_xact_lock(${lockNumberOf(name)}::bigint)`;

/** Waits for whoever has the lock; from here to the end of the transaction nobody else has it. */
export async function lockName<K extends Kind>(db: Tx, kind: K, ...of: Of<K>): Promise<void> {
  await lockOf(nameOf(kind, of)).execute(db);
}

/**
 * The same, in the round trip of the next statement: it is locked by the time that statement looks at anything.
 */
export const lockNameAhead = <K extends Kind>(db: Tx, kind: K, ...of: Of<K>): Promise<void> =>
  runAhead(db, lockOf(nameOf(kind, of)));

/** The same for several at once, in an order of their own: two that lock some of the same do not wait for one another. */
export async function lockNames<K extends Kind>(db: Tx, kind: K, each: Of<K>[]): Promise<void> {
  const numbers = each.map((of) => lockNumberOf(nameOf(kind, of))).toSorted();
  await sql`select pg_advisory_xact_lock(number) from unnest(${numbers}::bigint[]) as number`.execute(db);
}

/**
 * Locks it where nobody has it, in the round trip of the next statement, which selects `WAS_FREE`. That statement sees all that whoever had
 * the lock before has committed: one that tried the lock itself would look at the database as it was before it had it.
 */
export const tryLockNameAhead = <K extends Kind>(db: Tx, kind: K, ...of: Of<K>): Promise<void> =>
  runAhead(
    db,
    sql`select set_config('phial.was_free', pg_try_advisory_xact_lock(${lockNumberOf(nameOf(kind, of))}::bigint)::text, true)`,
  );

/** Whether the name was free that `tryLockNameAhead` named last in this transaction. */
export const WAS_FREE = sql<boolean>`current_setting('phial.was_free')::boolean`;
