import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../context.ts';
import { inTransaction } from '../db/transaction.ts';
import { AppError } from '../errors.ts';
import { reserveClientUserId, sealBirthDate } from './create.ts';
import { findUser, lockUser } from './find.ts';
import { storeSearchHashes } from './search/hashes.ts';
import type { UserPatch } from './schemas.ts';

/** Changes only the fields that the request contains. null clears a field. client_user_id cannot be cleared. */
export function patchUser(ctx: TeamCtx, userId: string, patch: Static<typeof UserPatch>): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    await lockUser(ctx, userId);
    const user = await findUser(ctx, userId);
    const { client_user_id, fallback_birth_date: birthDate, ...rest } = patch;
    const renamed = client_user_id && client_user_id !== user.client_user_id ? client_user_id : null;
    if (renamed) {
      await reserveClientUserId(ctx, userId, renamed);
      await ctx.db
        .deleteFrom('client_user_ids')
        .where('team_id', '=', ctx.team.id)
        .where('client_user_id', '=', user.client_user_id)
        .execute();
    }
    refuseEndBeforeStart({ ...user, ...rest });
    const changes = {
      ...rest,
      ...(renamed ? { client_user_id: renamed } : {}),
      ...(rest.fallback_time_zone === undefined ? {} : { fallback_time_zone_at: sql<string>`now()` }),
      ...(birthDate === undefined
        ? {}
        : {
            fallback_birth_date: sealBirthDate(ctx, user, birthDate),
            fallback_birth_date_at: sql<string>`now()`,
          }),
    };
    if (Object.keys(changes).length === 0) return;
    await ctx.db
      .updateTable('users')
      .set(changes)
      .where('id', '=', userId)
      .where('team_id', '=', ctx.team.id)
      .execute();
    if (birthDate !== undefined) await storeSearchHashes(ctx, [userId]);
    const { fallback_time_zone: zone = user.fallback_time_zone } = rest;
    if (zone !== user.fallback_time_zone) {
      for (const step of ctx.subscriptions.timeZoneChanged) await step(ctx, user);
    }
  });
}

/**
 * Throws ingestion_range_invalid if the end is before the start. The request may contain only one of the two, while the
 * other is stored. So the schema of the request cannot check this.
 */
function refuseEndBeforeStart({
  ingestion_start: start,
  ingestion_end: end,
}: {
  ingestion_start?: string | null;
  ingestion_end?: string | null;
}): void {
  if (start && end && start > end) {
    throw new AppError('ingestion_range_invalid', `ingestion_end (${end}) would be before ingestion_start (${start}).`);
  }
}
