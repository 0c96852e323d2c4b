import { sql } from 'kysely';
import type { Ctx, TxCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { boundToTeam } from '../../db/session/bind.ts';
import { notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { refuseBeyondLimit } from '../limits.ts';
import { newTeamKey } from './key-value.ts';
import type { KeyScope } from './key-scopes.ts';
import { TEAM_KEY_COLUMNS, toTeamKey, type TeamKey } from './render-team-key.ts';

type Input = {
  team_id: string;
  label: string;
  /** If absent or null, the key may use all operations of its team. */
  scopes?: KeyScope[] | null;
  expires_at?: string | null;
};

/**
 * Creates a team API key. Only this result contains the value of the key. Throws not_found if the team is deleted, and
 * limit_reached.
 */
export function createTeamKey(ctx: Ctx, input: Input): Promise<TeamKey> {
  return inTransaction(boundToTeam(ctx, input.team_id), async (ctx) => {
    await lockTeam(ctx, input.team_id);
    await refuseBeyondLimit(ctx, 'apiKeysPerTeam', input.team_id, () => countKeys(ctx, input.team_id));
    const key = newTeamKey(ctx.config);
    const row = await ctx.db
      .insertInto('team_api_keys')
      .values({
        id: newId(),
        ...input,
        scopes: input.scopes ? [...new Set(input.scopes)] : null,
        key_hash: key.hash,
        key_start: key.start,
      })
      .returning(TEAM_KEY_COLUMNS)
      .executeTakeFirstOrThrow();
    return toTeamKey(row, key.value);
  });
}

/**
 * Locks the team against a concurrent deletion. If the deletion comes later, it revokes the new key too. If it comes
 * first, we create no key.
 */
async function lockTeam(ctx: TxCtx, teamId: string): Promise<void> {
  const { rows } = await sql`select from teams where id = ${teamId} and deleted_at is null for share`.execute(ctx.db);
  if (rows.length === 0) throw notFound('Team');
}

async function countKeys(ctx: Ctx, teamId: string): Promise<number> {
  const { keys } = await ctx.db
    .selectFrom('team_api_keys')
    .select((eb) => eb.fn.countAll<number>().as('keys'))
    .where('team_id', '=', teamId)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<string>`now()`)]))
    .executeTakeFirstOrThrow();
  return keys;
}
