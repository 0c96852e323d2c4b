import { sql } from 'kysely';
import type { Ctx } from '../../context.ts';
import { boundToOrg } from '../../db/session/bind.ts';
import { notFound } from '../../errors.ts';

/**
 * Ends all links that we have signed for the team so far. Each link contains the team's generation number, and this
 * function increases that number. Throws not_found.
 */
export async function endSignedLinks(ctx: Ctx, { id, org_id }: { id: string; org_id: string }): Promise<void> {
  const { rows } = await sql`
    update teams set settings = settings || jsonb_build_object('signed_link_generation',
             coalesce((settings ->> 'signed_link_generation')::integer, 0) + 1)
     where id = ${id} and org_id = ${org_id} and deleted_at is null returning id`.execute(boundToOrg(ctx, org_id).db);
  if (rows.length === 0) throw notFound('Team');
}
