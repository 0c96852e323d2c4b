import { CompiledQuery } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../context.ts';
import { preparedStatement } from '../db/session/prepared.ts';
import { inTransaction } from '../db/transaction.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import { refuseBeyondLimit } from '../tenancy/limits.ts';
import { USER_COLUMNS, type UserRow } from './find.ts';
import { storeSearchHashes } from './search/hashes.ts';
import type { UserInput } from './schemas.ts';

// One statement, as SQL text. The benchmark (bench/) compares the rate of this operation with that of a bare insert. A
// second statement would make it much lower.
const INSERT = `
  with reserved as (
    insert into client_user_ids (team_id, client_user_id, user_id) values ($1, $2, $3) on conflict do nothing
    returning team_id, client_user_id, user_id
  )
  insert into users (id, team_id, client_user_id, fallback_time_zone, fallback_time_zone_at, fallback_birth_date,
    fallback_birth_date_at, ingestion_start, ingestion_end)
  select user_id, team_id, client_user_id, $4::text, case when $4::text is not null then now() end,
         $5::bytea, case when $5::bytea is not null then now() end, $6::date, $7::date
    from reserved
  returning ${USER_COLUMNS.join(', ')}`;

/**
 * Creates a user. The client_user_id of a deleted user stays reserved until the user is erased. Otherwise somebody
 * could give it to a new user, and nobody could undo the deletion. Throws client_user_id_conflict.
 */
export function createUser(ctx: TeamCtx, input: Static<typeof UserInput>): Promise<UserRow> {
  return inTransaction(ctx, async (ctx) => {
    await refuseBeyondLimit(ctx, 'usersPerTeam', ctx.team.id, () => countUsers(ctx));
    const row = { id: newId(), team_id: ctx.team.id };
    const {
      rows: [user],
    } = await ctx.db.executeQuery<UserRow>(
      preparedStatement(
        'insert user',
        CompiledQuery.raw(INSERT, [
          row.team_id,
          input.client_user_id,
          row.id,
          input.fallback_time_zone ?? null,
          sealBirthDate(ctx, row, input.fallback_birth_date ?? null),
          input.ingestion_start ?? null,
          input.ingestion_end ?? null,
        ]),
      ),
    );
    if (user && input.fallback_birth_date) await storeSearchHashes(ctx, [user.id]);
    return user ?? refuseTaken(ctx, input.client_user_id);
  });
}

async function countUsers({ db, team }: TxCtx<TeamCtx>): Promise<number> {
  const { users } = await db
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number>().as('users'))
    .where('team_id', '=', team.id)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return users;
}

export const sealBirthDate = (
  ctx: TxCtx<TeamCtx>,
  user: Pick<UserRow, 'id' | 'team_id'>,
  date: string | null,
): Buffer | null => (date === null ? null : ctx.cipher.sealText('users.fallback_birth_date', user, date));

/**
 * Reserves a client_user_id for a user. If two requests reserve the same client_user_id at the same time, the second
 * waits here for the first, and then gets client_user_id_conflict.
 */
export async function reserveClientUserId(ctx: TeamCtx, userId: string, clientUserId: string): Promise<void> {
  const reserved = await ctx.db
    .insertInto('client_user_ids')
    .values({ team_id: ctx.team.id, client_user_id: clientUserId, user_id: userId })
    .onConflict((oc) => oc.doNothing())
    .returning('user_id')
    .executeTakeFirst();
  if (!reserved) await refuseTaken(ctx, clientUserId);
}

async function refuseTaken(ctx: TeamCtx, clientUserId: string): Promise<never> {
  const existing = await ctx.db
    .selectFrom('client_user_ids')
    .innerJoin('users', 'users.id', 'client_user_ids.user_id')
    .select(['users.id', 'users.created_at'])
    .where('client_user_ids.team_id', '=', ctx.team.id)
    .where('client_user_ids.client_user_id', '=', clientUserId)
    .executeTakeFirstOrThrow();
  throw new AppError('client_user_id_conflict', 'A user with this client_user_id exists.', {
    detail: {
      error_type: 'INVALID_REQUEST',
      error_message: 'A user with this client_user_id exists. Use its user_id.',
      user_id: existing.id,
      created_on: existing.created_at,
    },
  });
}
