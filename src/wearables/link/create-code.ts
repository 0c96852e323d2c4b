import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { AppError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { hashKey } from '../../tenancy/keys/key-value.ts';
import { findUser } from '../../users/find.ts';
import type { LinkCode } from './schemas.ts';

const MINUTES = 30;
const MAX_HOURS = 24;
/**
 * The number of random bytes in a code. The API promises only eight digits. A code has more, so that it cannot be
 * guessed.
 */
const BYTES = 16;

/**
 * Makes a code for a user. A phone exchanges the code for a sign-in token of this user, once. If `expires_at` is null,
 * the code expires after half an hour.
 */
export function createLinkCode(
  ctx: TeamCtx,
  { user_id, expires_at }: { user_id: string; expires_at: string | null },
): Promise<Static<typeof LinkCode>> {
  return inTransaction(ctx, async (ctx) => {
    if (expires_at !== null) await refuseExpiry(ctx, expires_at);
    const user = await findUser(ctx, user_id);
    const { environment, region, baseUrl } = ctx.config;
    const code = `${environment === 'sandbox' ? 'sk' : 'pk'}${region}${randomBytes(BYTES).toString('hex')}`;
    const id = newId();
    const made = await sql<{ expires_at: string }>`
      insert into link_codes (user_id, id, team_id, code_hash, made_by, expires_at)
      values (${user.id}, ${id}, ${ctx.team.id}, ${hashKey(code)}, ${ctx.keyId ?? null},
              coalesce(${expires_at}::timestamptz, now() + make_interval(mins => ${MINUTES})))
      returning expires_at`.execute(ctx.db);
    const { expires_at: until } = made.rows[0] as { expires_at: string };
    ctx.line?.names(id);
    return { code, exchange_url: `${baseUrl}/v2/link/code/exchange?code=${code}`, expires_at: until };
  });
}

/**
 * Throws link_expiry_refused if the time is out of range. This needs only the request and the clock, so it runs before
 * we look up the user.
 */
async function refuseExpiry({ db }: TxCtx<TeamCtx>, expiresAt: string): Promise<void> {
  const { rows } = await sql<{ is_taken: boolean }>`
    select asked.at > now() and asked.at <= now() + make_interval(hours => ${MAX_HOURS}) as is_taken
      from (select ${expiresAt}::timestamptz as at) as asked`.execute(db);
  if (rows[0]?.is_taken) return;
  const msg = `expires_at must lie ahead, by at most ${MAX_HOURS} hours.`;
  throw new AppError('link_expiry_refused', msg, {
    detail: [{ type: 'value_error', loc: ['query', 'expires_at'], msg }],
  });
}
