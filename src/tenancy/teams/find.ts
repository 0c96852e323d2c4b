import { sql } from 'kysely';
import type { Ctx, ManagementCtx, TeamCtx, TeamsCtx, TxCtx } from '../../context.ts';
import { AppError, notFound } from '../../errors.ts';
import type { ClosedBeta } from '../../http/endpoint.ts';
import { MOST_TEAMS } from '../places.ts';
import { TEAM_COLUMNS, type TeamRow } from './render.ts';

type AnyManagementCtx = ManagementCtx | TxCtx<ManagementCtx>;

/** A team of the caller's organisation; refused to a Team Management Key that is not bound to it. */
export async function findManagedTeam(ctx: AnyManagementCtx, teamId: string): Promise<TeamCtx['team']> {
  const team = await ctx.db
    .selectFrom('teams')
    .select(['id', 'org_id', 'settings'])
    .where('org_id', '=', ctx.org.id)
    .where('id', '=', teamId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (!team) throw notFound('Team');
  refuseUnbound(ctx, [team.id]);
  return { ...team, settings: team.settings as TeamCtx['team']['settings'] };
}

/** Refuses teams of the organisation that a Team Management Key is not bound to. */
export function refuseUnbound({ key }: AnyManagementCtx, teamIds: string[]): void {
  const bound = key.team_ids;
  if (bound === null || teamIds.every((id) => bound.includes(id))) return;
  throw new AppError('insufficient_scope', 'This Team Management Key is not bound to every team that this is about.');
}

/** A team that the scope of the operation has found, as it is shown. */
export async function findManagedTeamRow(ctx: ManagementCtx & TeamCtx): Promise<TeamRow> {
  const team = await ctx.db
    .selectFrom('teams')
    .select(TEAM_COLUMNS)
    .where('id', '=', ctx.team.id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (!team) throw notFound('Team');
  return team;
}

/** The same of several teams; their ids, each once. */
export async function findManagedTeams(ctx: ManagementCtx, teamIds: string[]): Promise<string[]> {
  const ids = [...new Set(teamIds)];
  await refuseUnknownTeams(ctx, ctx.org.id, ids);
  refuseUnbound(ctx, ids);
  return ids;
}

/**
 * The teams that a request is about: those that it names, or all that its key opens and to which the closed beta is open. Throws
 * not_found where there is none, and limit_reached beyond as many as a request may name.
 */
export async function findOpenTeams(
  { config, db, org, teamIds, namesTeams }: TeamsCtx,
  closedBeta: ClosedBeta | null = null,
): Promise<string[]> {
  if (namesTeams && teamIds) return teamIds;
  const beta = config.environment === 'sandbox' ? null : closedBeta;
  const { rows } = await sql<{ id: string }>`
    select id from teams
     where org_id = ${org.id} and (${teamIds}::uuid[] is null or id = any (${teamIds}::uuid[])) and deleted_at is null
       and (${beta}::text is null or ${beta} = any (closed_betas))
     order by id limit ${MOST_TEAMS + 1}`.execute(db);
  if (rows.length === 0) throw notFound('Team');
  if (rows.length > MOST_TEAMS) {
    throw new AppError(
      'limit_reached',
      `This key opens more than ${MOST_TEAMS} teams: name those that it is for in team_ids, at most ${MOST_TEAMS} at once.`,
      { fields: { limit: MOST_TEAMS } },
    );
  }
  return rows.map(({ id }) => id);
}

/** Refuses ids that are not teams of this organisation, as if each alone had been asked for. */
export async function refuseUnknownTeams(
  { db }: Pick<Ctx | TxCtx, 'db'>,
  orgId: string,
  teamIds: string[],
): Promise<void> {
  const { rows } = await sql`
    select from unnest(${teamIds}::uuid[]) as asked (id)
     where not exists (select from teams where teams.id = asked.id and org_id = ${orgId} and deleted_at is null)
     limit 1`.execute(db);
  if (rows.length > 0) throw notFound('Team');
}
