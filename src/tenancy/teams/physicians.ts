import type { Static } from 'typebox';
import type { Ctx, TeamCtx } from '../../context.ts';
import { boundToTeam } from '../../db/session/bind.ts';
import { notFound } from '../../errors.ts';
import { findTeamScopeOrNull } from './team-scope.ts';
import type { Physician } from './schemas.ts';

type PhysicianBody = Static<typeof Physician>;

/** Lists the physicians of the caller's own team, ordered by name. Throws not_found for any other team. */
export async function listPhysicians({ db, team }: TeamCtx, teamId: string): Promise<PhysicianBody[]> {
  if (teamId !== team.id) throw notFound('Team');
  return db
    .selectFrom('physicians')
    .select(['first_name', 'last_name', 'npi'])
    .where('team_id', '=', team.id)
    .orderBy('last_name')
    .orderBy('first_name')
    .orderBy('npi')
    .execute();
}

/**
 * Adds a physician to a team. If the team already has a physician with this NPI, changes that physician's name. Returns
 * the organisation of the team. Throws not_found.
 */
export async function addPhysician(ctx: Ctx, teamId: string, physician: PhysicianBody): Promise<{ org_id: string }> {
  const team = await findTeamScopeOrNull(ctx, teamId);
  if (!team) throw notFound('Team');
  const { first_name, last_name } = physician;
  await boundToTeam(ctx, teamId)
    .db.insertInto('physicians')
    .values({ ...physician, team_id: teamId })
    .onConflict((oc) => oc.columns(['team_id', 'npi']).doUpdateSet({ first_name, last_name }))
    .execute();
  return { org_id: team.org_id };
}
