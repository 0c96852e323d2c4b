import type { Ctx } from '../../../context.ts';
import { boundToOrg } from '../../../db/session/bind.ts';
import { notFound } from '../../../errors.ts';
import type { LabAccountStatus } from './add.ts';

/** Sets whether orders can use an account. Throws not_found. */
export async function setLabAccountStatus(
  ctx: Ctx,
  input: { org_id: string; lab_account_id: string; status: LabAccountStatus },
): Promise<void> {
  const account = await boundToOrg(ctx, input.org_id)
    .db.updateTable('lab_accounts')
    .set({ status: input.status })
    .where('id', '=', input.lab_account_id)
    .where('org_id', '=', input.org_id)
    .returning('id')
    .executeTakeFirst();
  if (!account) throw notFound('Lab account');
}
