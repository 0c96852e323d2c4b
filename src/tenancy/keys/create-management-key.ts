import type { Ctx } from '../../context.ts';
import { newId } from '../../ids.ts';
import { newManagementKey } from './key-value.ts';

type Input = { org_id: string; label: string } & (
  { role: 'org_admin'; team_ids: null } | { role: 'team_admin'; team_ids: string[] }
);

/** Makes an Org or Team Management Key; its value is returned here and never again. */
export async function createManagementKey(ctx: Ctx, input: Input): Promise<{ id: string; value: string }> {
  const key = newManagementKey();
  const row = await ctx.db
    .insertInto('management_keys')
    .values({ id: newId(), ...input, key_hash: key.hash, key_start: key.start })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { id: row.id, value: key.value };
}
