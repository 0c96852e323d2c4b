import { boundToOrg } from '../../db/session/bind.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Ctx } from '../../context.ts';
import { newId } from '../../ids.ts';
import { createManagementKey } from '../keys/create-management-key.ts';
import type { Plan } from '../../plans.ts';

/** Creates an organisation and its first Org Management Key. Every deployment starts with this step. */
export function createOrg(
  ctx: Ctx,
  input: { name: string; plan: Plan },
): Promise<{ org_id: string; management_key: string; management_key_id: string }> {
  const id = newId();
  return inTransaction(boundToOrg(ctx, id), async (ctx) => {
    const org = await ctx.db
      .insertInto('orgs')
      .values({ id, ...input })
      .returning('id')
      .executeTakeFirstOrThrow();
    const key = await createManagementKey(ctx, {
      org_id: org.id,
      label: 'first key',
      role: 'org_admin',
      team_ids: null,
    });
    return { org_id: org.id, management_key: key.value, management_key_id: key.id };
  });
}
