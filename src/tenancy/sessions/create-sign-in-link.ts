import { sql } from 'kysely';
import type { Ctx, TxCtx } from '../../context.ts';
import { boundToOrg } from '../../db/session/bind.ts';
import { newId } from '../../ids.ts';
import { newToken } from '../keys/key-value.ts';
import type { LandingPage, SignInPerson } from './person.ts';

/** How long a link is valid that we print for the operator. A new operator may read for a while first. */
export const PRINTED_LINK_SECONDS = 3_600;
/** The most open links of a person. With one more, the oldest ends. */
const MAX_LINKS = 20;

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
  await sql`
    delete from sign_in_links where id in (
      select id from sign_in_links
       where org_id = ${person.org_id} and member_id is not distinct from ${person.member_id}::uuid
         and ehr_member_id is not distinct from ${person.ehr_member_id}::uuid
       order by id desc offset ${MAX_LINKS})`.execute(db);
  return { id, url: `${ctx.config.baseUrl}/sign-in/${token.value}` };
}
