import { sql } from 'kysely';
import type { Ctx, TeamCtx, TeamsCtx } from '../../context.ts';
import { boundToOrg } from '../../db/session/bind.ts';
import { AppError, notFound } from '../../errors.ts';
import { BETAS, type Beta } from '../../operation/betas.ts';

/**
 * Throws closed_beta if the beta is not open to the team, or to one of several teams that the request names. A request
 * for several teams may name no team and means all teams of its key. Then it is enough that the beta is open to one of
 * these teams. In a sandbox every beta is open.
 */
export async function refuseWithoutBeta(ctx: TeamCtx | TeamsCtx, beta: Beta): Promise<void> {
  if (ctx.config.environment === 'sandbox') return;
  if ('team' in ctx ? await isOpen(ctx, [ctx.team.id], beta) : await isOpenToThem(ctx, beta)) return;
  throw new AppError('closed_beta', 'This is a closed beta, which the operator of the service enables for a team.');
}

async function isOpen({ db }: TeamCtx | TeamsCtx, teams: string[], beta: Beta): Promise<boolean> {
  const { rows } = await sql`
    select from unnest(${teams}::uuid[]) as asked (id)
     where not exists (select from teams where teams.id = asked.id and ${beta} = any (closed_betas))
     limit 1`.execute(db);
  return rows.length === 0;
}

async function isOpenToThem(ctx: TeamsCtx, beta: Beta): Promise<boolean> {
  if (ctx.namesTeams && ctx.teamIds) return isOpen(ctx, ctx.teamIds, beta);
  const { rows } = await sql`
    select from teams
     where org_id = ${ctx.org.id} and (${ctx.teamIds}::uuid[] is null or id = any (${ctx.teamIds}::uuid[]))
       and deleted_at is null and ${beta} = any (closed_betas)
     limit 1`.execute(ctx.db);
  return rows.length > 0;
}

/** Lists the betas, and whether each is open to the team. */
export async function listBetas({ db, team, config }: TeamCtx): Promise<{ name: Beta; is_open: boolean }[]> {
  const { closed_betas } = await db
    .selectFrom('teams')
    .select('closed_betas')
    .where('id', '=', team.id)
    .executeTakeFirstOrThrow();
  const areAllOpen = config.environment === 'sandbox';
  return BETAS.map((name) => ({ name, is_open: areAllOpen || closed_betas.includes(name) }));
}

/** Opens a beta to a team, or closes it. Closing deletes no data of the beta. Throws not_found. */
export async function setBeta(
  ctx: Ctx,
  { org_id, team_id, beta, open }: { org_id: string; team_id: string; beta: Beta; open: boolean },
): Promise<void> {
  const { rows } = await sql`
    update teams set closed_betas = array_remove(closed_betas, ${beta}) || ${open ? [beta] : []}::text[]
     where id = ${team_id} and org_id = ${org_id} and deleted_at is null returning id`.execute(
    boundToOrg(ctx, org_id).db,
  );
  if (rows.length === 0) throw notFound('Team');
}
