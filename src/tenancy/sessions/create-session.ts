import { sql } from 'kysely';
import type { TxCtx } from '../../context.ts';
import { boundToOrg } from '../../db/session/bind.ts';
import { newId } from '../../ids.ts';
import { newToken } from '../keys/key-value.ts';
import { endOldest } from './end-oldest.ts';
import type { SignInPerson } from './person.ts';
import { SESSION_SECONDS } from './session-cookie.ts';

/** Creates a session of the person. Only this result has its token, because we store only the hash. */
export async function createSession(ctx: TxCtx, person: SignInPerson): Promise<{ id: string; token: string }> {
  const { db } = boundToOrg(ctx, person.org_id);
  const [id, token] = [newId(), newToken('session')];
  const expires_at = sql<string>`now() + make_interval(secs => ${SESSION_SECONDS})`;
  await db
    .insertInto('sessions')
    .values({ id, ...person, token_hash: token.hash, expires_at })
    .execute();
  await endOldest(db, 'sessions', person);
  return { id, token: token.value };
}
