import { sql } from 'kysely';
import type { Ctx } from '../../context.ts';
import { boundToOrg } from '../../db/session/bind.ts';
import { notFound } from '../../errors.ts';

/**
 * The settings that decide how much content the team's events have. Only the operator of the service can change them.
 */
export type Switch = 'full_patient_details_in_webhooks' | 'partial_webhooks_enabled';

/** Changes a setting of a team. Every process uses the new value from its next request on. Throws not_found. */
export async function switchSetting(
  ctx: Ctx,
  { org_id, team_id, setting, on }: { org_id: string; team_id: string; setting: Switch; on: boolean },
): Promise<void> {
  const { rows } = await sql`
    update teams set settings = settings || jsonb_build_object(${setting}::text, ${on}::boolean)
     where id = ${team_id} and org_id = ${org_id} and deleted_at is null returning id`.execute(
    boundToOrg(ctx, org_id).db,
  );
  if (rows.length === 0) throw notFound('Team');
}
