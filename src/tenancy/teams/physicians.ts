import type { Static } from 'typebox';
import type { Ctx, TeamCtx, TxCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { lockName } from '../../db/session/named-lock.ts';
import { AppError, notFound } from '../../errors.ts';
import { findTeamScopeOrNull, forTeam } from './team-scope.ts';
import type { Physician } from './schemas.ts';

type PhysicianBody = Static<typeof Physician>;

/** The most physicians of a team. All of them are in one response. */
const MAX_PHYSICIANS = 1_000;

/** Lists the physicians of the caller's own team, ordered by name. Throws not_found for any other team. */
export async function listPhysicians(ctx: TeamCtx, teamId: string): Promise<PhysicianBody[]> {
  if (teamId !== ctx.team.id) throw notFound('Team');
  return ctx.db
    .selectFrom('physicians')
    .select(['first_name', 'last_name', 'npi'])
    .where('team_id', '=', teamId)
    .orderBy('last_name')
    .orderBy('first_name')
    .orderBy('npi')
    .execute();
}

/**
 * Adds a physician to the team, or changes the name of the physician with this NPI. Throws limit_reached if the team
 * has as many physicians as it may have.
 */
export function putPhysician(ctx: TeamCtx | TxCtx<TeamCtx>, physician: PhysicianBody): Promise<PhysicianBody> {
  const { first_name, last_name, npi } = physician;
  return inTransaction(ctx, async ({ db, team }) => {
    // Without the lock, two requests at the same time could both add the last physician.
    await lockName(db, 'limit', 'physicians', team.id);
    const { others } = await db
      .selectFrom('physicians')
      .select((eb) => eb.fn.countAll<number>().as('others'))
      .where('team_id', '=', team.id)
      .where('npi', '<>', npi)
      .executeTakeFirstOrThrow();
    if (others >= MAX_PHYSICIANS) {
      throw new AppError('limit_reached', `A team may have at most ${MAX_PHYSICIANS} physicians. Remove one.`, {
        fields: { limit: MAX_PHYSICIANS },
      });
    }
    await db
      .insertInto('physicians')
      .values({ first_name, last_name, npi, team_id: team.id })
      .onConflict((oc) => oc.columns(['team_id', 'npi']).doUpdateSet({ first_name, last_name }))
      .execute();
    return { first_name, last_name, npi };
  });
}

/** Removes a physician from the team. Orders keep the physician whom they name. Throws not_found. */
export async function removePhysician({ db, team }: TeamCtx, npi: string): Promise<void> {
  const removed = await db
    .deleteFrom('physicians')
    .where('team_id', '=', team.id)
    .where('npi', '=', npi)
    .returning('npi')
    .executeTakeFirst();
  if (!removed) throw notFound('Physician');
}

/** Adds or changes a physician for the operator, who names the team. Throws not_found and limit_reached. */
export async function addPhysician(ctx: Ctx, teamId: string, physician: PhysicianBody): Promise<{ org_id: string }> {
  const team = await findTeamScopeOrNull(ctx, teamId);
  if (!team) throw notFound('Team');
  await putPhysician(forTeam(ctx, team), physician);
  return { org_id: team.org_id };
}
