import { sql } from 'kysely';
import type { Ctx, TeamCtx } from '../../context.ts';
import { boundToOrg } from '../../db/session/bind.ts';
import { AppError, notFound } from '../../errors.ts';
import type { ClosedBeta } from '../../http/endpoint.ts';

/** Throws closed_beta where it is not open to the team; in a sandbox everything is. */
export async function refuseClosedBeta({ config, db, team }: TeamCtx, beta: ClosedBeta): Promise<void> {
  if (config.environment === 'sandbox') return;
  const { rows } = await sql`select from teams where id = ${team.id} and ${beta} = any (closed_betas)`.execute(db);
  if (rows.length > 0) return;
  throw new AppError('closed_beta', 'This is a closed beta, which whoever runs the service opens to a team.');
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
