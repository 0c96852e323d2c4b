import { sql } from 'kysely';
import type { Ctx, TeamCtx, TeamsCtx } from '../../context.ts';
import { boundToOrg } from '../../db/session/bind.ts';
import { AppError, notFound } from '../../errors.ts';
import type { ClosedBeta } from '../../http/endpoint.ts';

/**
 * Throws closed_beta where it is not open to the team, or to one of several that the request names; in a sandbox everything is.
 * Where a request of several names none, one that it is open to lets it through.
 */
export async function refuseClosedBeta(ctx: TeamCtx | TeamsCtx, beta: ClosedBeta): Promise<void> {
  if (ctx.config.environment === 'sandbox') return;
  if ('team' in ctx ? await isOpen(ctx, [ctx.team.id], beta) : await isOpenToThem(ctx, beta)) return;
  throw new AppError('closed_beta', 'This is a closed beta, which whoever runs the service opens to a team.');
}

async function isOpen({ db }: TeamCtx | TeamsCtx, teams: string[], beta: ClosedBeta): Promise<boolean> {
  const { rows } = await sql`
    select from unnest(${teams}::uuid[]) as asked (id)
     where not exists (select from teams where teams.id = asked.id and ${beta} = any (closed_betas))
     limit 1`.execute(db);
  return rows.length === 0;
}

async function isOpenToThem(ctx: TeamsCtx, beta: ClosedBeta): Promise<boolean> {
  if (ctx.namesTeams && ctx.teamIds) return isOpen(ctx, ctx.teamIds, beta);
  const { rows } = await sql`
    select from teams
     where org_id = ${ctx.org.id} and (${ctx.teamIds}::uuid[] is null or id = any (${ctx.teamIds}::uuid[]))
       and deleted_at is null and ${beta} = any (closed_betas)
     limit 1`.execute(ctx.db);
  return rows.length > 0;
}

/** Opens it to a team, or closes it; what the team has made of it stays. Throws not_found. */
export async function setClosedBeta(
  ctx: Ctx,
  { org_id, team_id, beta, open }: { org_id: string; team_id: string; beta: ClosedBeta; open: boolean },
): Promise<void> {
  const { rows } = await sql`
    update teams set closed_betas = array_remove(closed_betas, ${beta}) || ${open ? [beta] : []}::text[]
     where id = ${team_id} and org_id = ${org_id} and deleted_at is null returning id`.execute(
    boundToOrg(ctx, org_id).db,
  );
  if (rows.length === 0) throw notFound('Team');
}
