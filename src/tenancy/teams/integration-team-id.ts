// The integration_team_id is the id of a team in the organisation's own system. It is unique within the organisation.
import type { ManagementCtx, TxCtx } from '../../context.ts';
import { lockName } from '../../db/session/named-lock.ts';
import { AppError, notFound } from '../../errors.ts';
import { refuseUnbound } from './find.ts';
import { TEAM_COLUMNS, type TeamRow } from './render.ts';

/**
 * Throws integration_team_id_conflict if another team of the organisation has this id. The 409 response has the id of
 * that team. A concurrent transaction that uses the same id waits until the caller's transaction ends.
 */
export async function refuseTaken(
  { db }: TxCtx,
  orgId: string,
  integrationTeamId: string,
  own: string | null = null,
): Promise<void> {
  await lockName(db, 'integration_team_id', orgId, integrationTeamId);
  const taken = await findOrNull(db, orgId, integrationTeamId);
  if (taken === null || taken === own) return;
  throw new AppError('integration_team_id_conflict', 'A team with this integration_team_id exists.', {
    detail: { team_id: taken },
    fields: { team_id: taken },
  });
}

/**
 * Returns the team with this integration_team_id. Throws not_found, and insufficient_scope for a key that is not bound
 * to the team.
 */
export async function resolveTeam(
  ctx: ManagementCtx | TxCtx<ManagementCtx>,
  integrationTeamId: string,
): Promise<TeamRow> {
  const team = await ctx.db
    .selectFrom('teams')
    .select(TEAM_COLUMNS)
    .where('org_id', '=', ctx.org.id)
    .where('integration_team_id', '=', integrationTeamId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (!team) throw notFound('Team');
  refuseUnbound(ctx, [team.id]);
  return team;
}

async function findOrNull(db: TxCtx['db'], orgId: string, integrationTeamId: string): Promise<string | null> {
  const found = await db
    .selectFrom('teams')
    .select('id')
    .where('org_id', '=', orgId)
    .where('integration_team_id', '=', integrationTeamId)
    .executeTakeFirst();
  return found?.id ?? null;
}
