import type { Ctx } from '../../context.ts';
import { boundToOrg } from '../../db/session/bind.ts';
import { notFound } from '../../errors.ts';
import type { Plan } from '../../plans.ts';

/** Changes the plan of an organisation. Only the operator can do this. Throws not_found. */
export async function setPlan(ctx: Ctx, input: { org_id: string; plan: Plan }): Promise<void> {
  const org = await boundToOrg(ctx, input.org_id)
    .db.updateTable('orgs')
    .set({ plan: input.plan })
    .where('id', '=', input.org_id)
    .returning('id')
    .executeTakeFirst();
  if (!org) throw notFound('Organisation');
}
