import { sql } from 'kysely';
import type { Ctx } from '../../context.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { inTransaction } from '../../db/transaction.ts';
import { linkRefused } from '../../privacy/signed-link.ts';
import type { BrowserResponse } from '../../operation/media.ts';
import { personIdOf } from '../creator.ts';
import { hashKey, readToken } from '../keys/key-value.ts';
import { createSession } from './create-session.ts';
import { isOwnPage } from './own-page.ts';
import { sessionCookie } from './session-cookie.ts';
import { signInPage } from './sign-in-page.ts';

/**
 * Returns the page of a one-time link. Mail programs open every link for a preview, so a GET request uses up nothing.
 * Throws link_refused.
 */
export async function openSignInLink(ctx: Ctx, token: string): Promise<BrowserResponse> {
  const found = await acrossTeams(ctx)
    .db.selectFrom('sign_in_links as links')
    .innerJoin('orgs', 'orgs.id', 'links.org_id')
    .leftJoin('org_members as members', 'members.id', 'links.member_id')
    .leftJoin('ehr_members', 'ehr_members.id', 'links.ehr_member_id')
    .select(['orgs.id as org_id', 'orgs.name', 'members.person', 'members.id as member_id'])
    .select(['ehr_members.person as ehr_person', 'ehr_members.id as ehr_member_id'])
    .where('token_hash', '=', hashOf(token))
    .where('expires_at', '>', sql<string>`now()`)
    .executeTakeFirst();
  if (!found) throw linkRefused();
  const { org_id: team_id, member_id, person, ehr_member_id, ehr_person } = found;
  const open = (column: 'org_members.person' | 'ehr_members.person', id: string, sealed: Buffer): string =>
    ctx.cipher.openJson<{ name: string }>(column, { team_id, id }, sealed).name;
  const name =
    member_id !== null && person !== null
      ? open('org_members.person', member_id, person)
      : ehr_member_id !== null && ehr_person !== null
        ? open('ehr_members.person', ehr_member_id, ehr_person)
        : null;
  return signInPage({ org: found.name, name });
}

/**
 * Uses up a one-time link, signs its person in and leads the browser to the dashboard. Throws link_refused, also for a
 * form on another site: that site could sign a person in as somebody else.
 *
 * @param sentFrom the header Sec-Fetch-Site
 */
export function useSignInLink(ctx: Ctx, token: string, sentFrom: string | null): Promise<BrowserResponse> {
  if (!isOwnPage(sentFrom)) throw linkRefused();
  return inTransaction(acrossTeams(ctx), async (tx) => {
    const used = await tx.db
      .deleteFrom('sign_in_links')
      .where('token_hash', '=', hashOf(token))
      .where('expires_at', '>', sql<string>`now()`)
      .returning(['org_id', 'member_id', 'ehr_member_id', 'only_team_id', 'leads_to'])
      .executeTakeFirst();
    if (!used) throw linkRefused();
    const { leads_to, ...person } = used;
    const session = await createSession(tx, person);
    const personId = personIdOf(person);
    const { id } = session;
    const actor = { kind: 'session', id, org_id: person.org_id, team_id: null, person_id: personId } as const;
    ctx.line?.actor(actor, personId === null ? [] : [personId]);
    return { redirect: leads_to, cookie: sessionCookie(ctx, session.token) };
  });
}

/** Returns the hash of a token. For a text that is no token of a link it is the hash of the empty text, of no link. */
const hashOf = (token: string): Buffer => hashKey(readToken(token) === 'sign_in' ? token : '');
