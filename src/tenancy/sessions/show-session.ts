import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { SessionCtx } from '../../context.ts';
import { personIdOf } from '../creator.ts';
import { MAX_TEAMS_SHOWN, type SessionDetails } from './schemas.ts';

/** Shows the session with its person, its organisation and the teams that the person manages, by name. */
export async function showSession(ctx: SessionCtx): Promise<Static<typeof SessionDetails>> {
  const { session, person, email, org, rights, config } = ctx;
  const { environment, region } = config;
  return {
    session,
    person: { kind: person.kind, member_id: personIdOf(person), name: person.name, email, role: rights.role },
    org,
    ...(await teamsOf(ctx)),
    environment,
    region,
  };
}

async function teamsOf({ db, org, rights }: SessionCtx) {
  const { role, team_ids } = rights;
  const found = await db
    .selectFrom('teams')
    .select(['id', 'name'])
    .where('org_id', '=', org.id)
    .where('deleted_at', 'is', null)
    .$if(role !== 'org_admin', (query) =>
      query.where(sql<boolean>`id = any (${role === 'team_admin' ? team_ids : []}::uuid[])`),
    )
    .orderBy('name')
    .orderBy('id')
    .limit(MAX_TEAMS_SHOWN + 1)
    .execute();
  return { teams: found.slice(0, MAX_TEAMS_SHOWN), has_more_teams: found.length > MAX_TEAMS_SHOWN };
}
