import { sql } from 'kysely';
import type { Ctx, ManagementCtx, TeamCtx, TeamsCtx, TxCtx } from '../../context.ts';
import { AppError, notFound } from '../../errors.ts';
import type { Beta } from '../../operation/betas.ts';
import { MAX_TEAMS } from '../team-paths.ts';
import { TEAM_COLUMNS, type TeamRow } from './render.ts';

type AnyManagementCtx = ManagementCtx | TxCtx<ManagementCtx>;

/**
 * Returns a team of the caller's organisation. Throws not_found, and insufficient_scope for a Team Management Key that
 * is not bound to the team.
 */
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

/** Throws insufficient_scope if the caller has a Team Management Key that is not bound to all these teams. */
export function refuseUnbound({ key }: AnyManagementCtx, teamIds: string[]): void {
  const bound = key.team_ids;
  if (bound === null || teamIds.every((id) => bound.includes(id))) return;
  throw new AppError(
    'insufficient_scope',
    'Your Team Management Key, or your role if you are signed in, is not bound to all teams of this request.',
  );
}

/** Returns the row of the team that the scope check of the operation has found. */
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

/** Checks several teams like findManagedTeam does. Returns their ids without duplicates. */
export async function findManagedTeams(ctx: ManagementCtx, teamIds: string[]): Promise<string[]> {
  const ids = [...new Set(teamIds)];
  await refuseUnknownTeams(ctx, ctx.org.id, ids);
  refuseUnbound(ctx, ids);
  return ids;
}

/**
 * Returns the teams of a request: those that it names, or else all teams of the key for which the closed beta is
 * enabled. Throws not_found if there is none, and limit_reached if there are more than a request can name.
 */
export async function findOpenTeams(
  { config, db, org, teamIds, namesTeams }: TeamsCtx,
  beta: Beta | null = null,
): Promise<string[]> {
  if (namesTeams && teamIds) return teamIds;
  const needed = config.environment === 'sandbox' ? null : beta;
  const { rows } = await sql<{ id: string }>`
    select id from teams
     where org_id = ${org.id} and (${teamIds}::uuid[] is null or id = any (${teamIds}::uuid[])) and deleted_at is null
       and (${needed}::text is null or ${needed} = any (closed_betas))
     order by id limit ${MAX_TEAMS + 1}`.execute(db);
  if (rows.length === 0) throw notFound('Team');
  if (rows.length > MAX_TEAMS) {
    throw new AppError(
      'limit_reached',
      `You have access to more than ${MAX_TEAMS} teams. Name the teams in team_ids, at most ` +
        `${MAX_TEAMS} per request.`,
      { fields: { limit: MAX_TEAMS } },
    );
  }
  return rows.map(({ id }) => id);
}

/** Throws not_found if one of the ids is not a team of this organisation. */
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
