import { sql } from 'kysely';
import { Type } from 'typebox';
import type { Ctx, TxCtx } from '../../context.ts';
import { addJob, jobKind } from '../../db/define-job.ts';
import { lockNames } from '../../db/session/named-lock.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { inTransaction } from '../../db/transaction.ts';
import { AppError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { addressHash } from '../members/person.ts';

/** The kind of the job that looks for members with the addresses, and mails the links. */
export const signInMailKind = jobKind({ name: 'mail_sign_in_links', payload: Type.Object({}) });

type Bound = { column: 'address_hash' | 'network_hash'; most: number; minutes: number };
/** Mailed links work for 15 minutes, so nobody needs more of them. The bound of a day is that of all mails. */
const BOUNDS: readonly Bound[] = [
  { column: 'address_hash', most: 3, minutes: 15 },
  { column: 'address_hash', most: 10, minutes: 1_440 },
  { column: 'network_hash', most: 30, minutes: 60 },
];

/**
 * Stores that somebody asked for a one-time link by this address. Only a job looks whether a member has the address, so
 * the answer and its time are the same for every address. Throws rate_limited.
 */
export function requestSignInLink(ctx: Ctx, email: string): Promise<void> {
  return inTransaction(acrossTeams(ctx), async (tx) => {
    const hashes = {
      address_hash: addressHash(tx, email),
      network_hash: tx.cipher.lookupHash('sign_in_network', 'deployment', ctx.address ?? ''),
    };
    const names = Object.values(hashes).map((hash): [string] => [hash.toString('hex')]);
    await lockNames(tx.db, 'sign-in requests', names);
    for (const bound of BOUNDS) await refuseBeyond(tx, bound, hashes[bound.column]);
    await tx.db
      .insertInto('sign_in_requests')
      .values({ id: newId(), ...hashes })
      .execute();
    await addJob(tx.db, signInMailKind, {}, { key: signInMailKind.name, shouldPreserveRunAt: true });
  });
}

async function refuseBeyond({ db }: TxCtx, { column, most, minutes }: Bound, hash: Buffer): Promise<void> {
  const { rows } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from created_at + make_interval(mins => ${minutes}) - now()))::int as seconds
      from sign_in_requests
     where ${sql.ref(column)} = ${hash} and created_at > now() - make_interval(mins => ${minutes})
     order by created_at desc offset ${most - 1} limit 1`.execute(db);
  const [oldest] = rows;
  if (!oldest) return;
  throw new AppError(
    'rate_limited',
    column === 'address_hash'
      ? 'Too many links were asked for with this address. Use the newest mail, or ask again after Retry-After.'
      : 'Too many links were asked for from this network. Ask again after Retry-After.',
    { retryAfterSeconds: Math.max(1, oldest.seconds) },
  );
}
