// Locks names, for work that has no row to lock. A transaction holds such a lock until it ends.
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Tx } from '../open-database.ts';
import { sendWithNext } from '../transaction.ts';

/** The kinds of locks, each with a function that makes the name. Two kinds never make the same name. */
const NAMES = {
  bootstrap: () => 'bootstrap',
  // Only one transaction at a time writes incoming data of a user.
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
  'sign-in requests': (hash: string) => `sign in ${hash}`,
  'event pipeline': (teamId: string) => `event pipeline ${teamId}`,
  uploads: (orgId: string) => `uploads ${orgId}`,
  'claim of a file': (queue: string) => `claim a file of ${queue}`,
  'lab reports': (orgId: string) => `lab reports ${orgId}`,
  request: (scopeId: string, operation: string, key: string) => `${scopeId} ${operation} ${key}`,
};
type Kind = keyof typeof NAMES;
type LockArguments<K extends Kind> = Parameters<(typeof NAMES)[K]>;

const nameOf = <K extends Kind>(kind: K, of: LockArguments<K>): string =>
  (NAMES[kind] as (...of: LockArguments<K>) => string)(...of);

/**
 * Returns the number that PostgreSQL locks for a name. All teams share these numbers, and callers choose parts of some
 * names, such as idempotency keys. With a simple hash, such as hashtextextended, a caller could find a key with the
 * same number as another team's lock, and block that team.
 */
export const lockNumberOf = (name: string): string =>
  createHash('sha256').update(name).digest().readBigInt64BE().toString();

const lockOf = (name: string) => sql`select pg_advisory_xact_lock(${lockNumberOf(name)}::bigint)`;

/** Waits for the lock, and holds it until the end of the transaction. */
export async function lockName<K extends Kind>(db: Tx, kind: K, ...of: LockArguments<K>): Promise<void> {
  await lockOf(nameOf(kind, of)).execute(db);
}

/**
 * Like `lockName`, but we send the lock together with the next statement. PostgreSQL runs that statement only after it
 * has the lock.
 */
export const lockNameAhead = <K extends Kind>(db: Tx, kind: K, ...of: LockArguments<K>): Promise<void> =>
  sendWithNext(db, lockOf(nameOf(kind, of)));

/**
 * Like `lockName` for several names. It takes the locks in the order of their numbers. So two transactions that lock
 * some of the same names cannot deadlock.
 */
export async function lockNames<K extends Kind>(db: Tx, kind: K, each: LockArguments<K>[]): Promise<void> {
  const numbers = each.map((of) => lockNumberOf(nameOf(kind, of))).toSorted();
  await sql`select pg_advisory_xact_lock(number) from unnest(${numbers}::bigint[]) as number`.execute(db);
}

/**
 * Takes the lock if it is free. We send this together with the next statement, which selects `WAS_FREE`. That statement
 * sees everything that the previous holder of the lock committed. If it tried to take the lock itself, it would see the
 * rows from before the lock.
 */
export const tryLockNameAhead = <K extends Kind>(db: Tx, kind: K, ...of: LockArguments<K>): Promise<void> =>
  sendWithNext(
    db,
    sql`select set_config('phial.was_free',
          pg_try_advisory_xact_lock(${lockNumberOf(nameOf(kind, of))}::bigint)::text, true)`,
  );

/** True if the last `tryLockNameAhead` of this transaction took its lock. */
export const WAS_FREE = sql<boolean>`current_setting('phial.was_free')::boolean`;
