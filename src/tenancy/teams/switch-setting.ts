import { sql } from 'kysely';
import type { Ctx } from '../../context.ts';
import { boundToOrg } from '../../db/session/bind.ts';
import { notFound } from '../../errors.ts';

/** What of a team is told to its receivers, which whoever runs the service may switch. */
export type Switch = 'full_patient_details_in_webhooks' | 'partial_webhooks_enabled';

/** Switches a setting of a team; every process knows it at its next request. Throws not_found. */
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
