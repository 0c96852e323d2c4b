import type { Ctx, TxCtx } from '../../context.ts';
import { boundToOrg } from '../../db/session/bind.ts';
import { inTransaction } from '../../db/transaction.ts';
import { newId } from '../../ids.ts';
import { refuseBeyondLimit } from '../limits.ts';
import type { StoredCreator } from '../creator.ts';
import { refuseUnknownTeams } from '../teams/find.ts';
import { newManagementKey } from './key-value.ts';
import { MANAGEMENT_KEY_COLUMNS, type ManagementKeyRow } from './render-management-key.ts';

type Input = {
  org_id: string;
  label: string;
} & Partial<StoredCreator> &
  ({ role: 'org_admin'; team_ids: null } | { role: 'team_admin'; team_ids: string[] });

/** Creates an Org Management Key or a Team Management Key. Only this result contains the value of the key. */
export function createManagementKey(ctx: Ctx, input: Input): Promise<ManagementKeyRow & { value: string }> {
  return inTransaction(boundToOrg(ctx, input.org_id), async (ctx) => {
    if (input.team_ids) await refuseUnknownTeams(ctx, input.org_id, input.team_ids);
    await refuseBeyondLimit(ctx, 'managementKeysPerOrg', input.org_id, () => countKeys(ctx, input.org_id));
    const key = newManagementKey();
    const row = await ctx.db
      .insertInto('management_keys')
      .values({ id: newId(), ...input, key_hash: key.hash, key_start: key.start })
      .returning(MANAGEMENT_KEY_COLUMNS)
      .executeTakeFirstOrThrow();
    return { ...row, value: key.value };
  });
}

async function countKeys(ctx: TxCtx, orgId: string): Promise<number> {
  const { keys } = await ctx.db
    .selectFrom('management_keys')
    .select((eb) => eb.fn.countAll<number>().as('keys'))
    .where('org_id', '=', orgId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  return keys;
}
