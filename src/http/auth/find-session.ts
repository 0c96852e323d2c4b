import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import type { Ctx, MemberRights, SessionCtx, TeamCtx } from '../../context.ts';
import { prepared } from '../../db/session/prepared.ts';
import { hashKey } from '../../tenancy/keys/key-value.ts';
import { personIdOf } from '../../tenancy/creator.ts';
import type { KeyIdentity } from './caller.ts';

/** A session with its person. Several requests share this object. */
export type SessionAccess = Pick<SessionCtx, 'person' | 'session' | 'org' | 'rights' | 'email'> & {
  key: KeyIdentity;
  /** The team that the caller named. Null if it named none, or a team that is not one of the organisation. */
  team: TeamCtx['team'] | null;
};

/**
 * Derives the CSRF token of a session from its secret. Another site can make a browser send the cookie, but can read
 * neither the cookie nor this token.
 */
const csrfTokenOf = (token: string): string =>
  createHmac('sha256', token).update('phial csrf token').digest('base64url');

/**
 * Finds a session that has not expired. The rights are those that the person has now, not those at the sign-in.
 *
 * @param across must see the rows of all organisations, because the token names none
 */
export async function findSessionOrNull(
  across: Ctx,
  token: string,
  teamId: string | null,
): Promise<{ access: SessionAccess; expires: string } | undefined> {
  const row = await across.db
    .selectFrom('sessions')
    .innerJoin('orgs', 'orgs.id', 'sessions.org_id')
    .leftJoin('org_members as members', 'members.id', 'sessions.member_id')
    .leftJoin('ehr_members', 'ehr_members.id', 'sessions.ehr_member_id')
    .leftJoin('teams', (join) =>
      join
        .on(sql<boolean>`teams.id = ${teamId}::uuid`)
        .onRef('teams.org_id', '=', 'sessions.org_id')
        .on('teams.deleted_at', 'is', null),
    )
    .select(['sessions.id', 'sessions.org_id', 'sessions.created_at', 'sessions.expires_at', 'sessions.only_team_id'])
    .select(['sessions.member_id', 'sessions.ehr_member_id', 'orgs.name', 'orgs.plan', 'role', 'members.team_ids'])
    .select(['members.person', 'ehr_members.person as ehr_person', 'ehr_members.team_ids as ehr_team_ids'])
    .select(['teams.id as team_id', 'teams.settings'])
    .where('sessions.token_hash', '=', hashKey(token))
    .where('sessions.expires_at', '>', sql<string>`now()`)
    .$call(prepared('session'))
    .executeTakeFirst();
  if (!row) return undefined;
  const { id, org_id, created_at, expires_at, name, plan, team_id, settings } = row;
  const access: SessionAccess = {
    ...personOf(across, row),
    key: { kind: 'session', id, org_id, team_id: null, person_id: personIdOf(row) },
    session: { id, created_at, expires_at, csrf_token: csrfTokenOf(token) },
    org: { id: org_id, name, plan: plan as SessionCtx['org']['plan'] },
    team: team_id === null ? null : { id: team_id, org_id, settings: settings as TeamCtx['team']['settings'] },
  };
  return { access, expires: expires_at };
}

type Row = {
  id: string;
  org_id: string;
  member_id: string | null;
  person: Buffer | null;
  role: string | null;
  team_ids: string[] | null;
  ehr_member_id: string | null;
  ehr_person: Buffer | null;
  ehr_team_ids: string[] | null;
  only_team_id: string | null;
};

function personOf({ cipher }: Ctx, row: Row): Pick<SessionAccess, 'person' | 'rights' | 'email'> {
  const { id: session_id, org_id, member_id, ehr_member_id, team_ids } = row;
  const ids = { session_id, member_id, ehr_member_id };
  if (member_id !== null && row.person !== null) {
    const bound = { team_id: org_id, id: member_id };
    const { name, email } = cipher.openJson<{ name: string; email: string }>('org_members.person', bound, row.person);
    const rights = { role: row.role as MemberRights['role'], team_ids };
    return { person: { kind: 'member', ...ids, name }, rights, email };
  }
  if (ehr_member_id !== null && row.ehr_person !== null) {
    const bound = { team_id: org_id, id: ehr_member_id };
    const { name, email } = cipher.openJson<{ name: string; email: string }>(
      'ehr_members.person',
      bound,
      row.ehr_person,
    );
    const own = row.ehr_team_ids ?? [];
    const teams = row.only_team_id === null ? own : own.filter((teamId) => teamId === row.only_team_id);
    const rights: MemberRights =
      teams.length === 0 ? { role: 'no_role', team_ids: null } : { role: 'team_admin', team_ids: teams };
    return { person: { kind: 'member', ...ids, name }, rights, email };
  }
  return {
    person: { kind: 'operator', ...ids, name: 'Operator' },
    rights: { role: 'org_admin', team_ids: null },
    email: null,
  };
}
