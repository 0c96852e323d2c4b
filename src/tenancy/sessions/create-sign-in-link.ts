import { sql } from 'kysely';
import type { Ctx, TxCtx } from '../../context.ts';
import { boundToOrg } from '../../db/session/bind.ts';
import { newId } from '../../ids.ts';
import { newToken } from '../keys/key-value.ts';
import { endOldest } from './end-oldest.ts';
import type { LandingPage, SignInPerson } from './person.ts';

/** How long a link is valid that we print for the operator. A new operator may read for a while first. */
export const PRINTED_LINK_SECONDS = 3_600;

/** Creates a link with which the person can sign in once. Only this result has it, because we store only a hash. */
export async function createSignInLink(
  ctx: Ctx | TxCtx,
  person: SignInPerson,
  seconds: number,
  leads_to: LandingPage = '/dashboard',
): Promise<{ id: string; url: string }> {
  const { db } = boundToOrg(ctx, person.org_id);
  const [id, token] = [newId(), newToken('sign_in')];
  const expires_at = sql<string>`now() + make_interval(secs => ${seconds})`;
  await db
    .insertInto('sign_in_links')
    .values({ id, ...person, leads_to, token_hash: token.hash, expires_at })
    .execute();
  await endOldest(db, 'sign_in_links', person);
  return { id, url: `${ctx.config.baseUrl}/sign-in/${token.value}` };
}
