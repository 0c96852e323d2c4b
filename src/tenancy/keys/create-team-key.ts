import type { Ctx } from '../../context.ts';
import { newId } from '../../ids.ts';
import { newTeamKey } from './key-value.ts';

export type CreatedTeamKey = { id: string; label: string; value: string; team_id: string; created_at: string };

/** Makes a team API key; its value is returned here and never again. */
export async function createTeamKey(ctx: Ctx, input: { team_id: string; label: string }): Promise<CreatedTeamKey> {
  const key = newTeamKey(ctx.config);
  const row = await ctx.db
    .insertInto('team_api_keys')
    .values({ id: newId(), ...input, key_hash: key.hash, key_start: key.start })
    .returning(['id', 'label', 'team_id', 'created_at'])
    .executeTakeFirstOrThrow();
  return { ...row, value: key.value };
}
