import type { Selectable } from 'kysely';
import type { Static } from 'typebox';
import type { ConnectedSource, TeamCtx, TxCtx } from '../context.ts';
import { prepared } from '../db/session/prepared.ts';
import type { DB } from '../db/tables.ts';
import { AppError, notFound } from '../errors.ts';
import type { User } from './schemas.ts';

export const USER_COLUMNS = [
  'id',
  'team_id',
  'client_user_id',
  'created_at',
  'fallback_time_zone',
  'fallback_time_zone_at',
  'fallback_birth_date',
  'fallback_birth_date_at',
  'ingestion_start',
  'ingestion_end',
  'deleted_at',
] as const;

/** A user as stored. The birth date is sealed. */
export type UserRow = Pick<Selectable<DB['users']>, (typeof USER_COLUMNS)[number]>;

/** Finds a user of the caller's team. Throws not_found, or user_scheduled_for_deletion. */
export async function findUser(ctx: TeamCtx, userId: string): Promise<UserRow> {
  const user = await ctx.db
    .selectFrom('users')
    .select(USER_COLUMNS)
    .where('id', '=', userId)
    .where('team_id', '=', ctx.team.id)
    .$call(prepared('find user'))
    .executeTakeFirst();
  return present(user);
}

/**
 * Locks the user's row. If two requests change the same user at the same time, the second waits here, and then reads
 * the client_user_id that the first has stored.
 */
export async function lockUser(ctx: TxCtx<TeamCtx>, userId: string): Promise<void> {
  await ctx.db
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where('team_id', '=', ctx.team.id)
    .forNoKeyUpdate()
    .execute();
}

/** Finds a user by client_user_id, which is the customer's own reference. */
export async function findUserByClientId(ctx: TeamCtx, clientUserId: string): Promise<UserRow> {
  const user = await ctx.db
    .selectFrom('users')
    .innerJoin('client_user_ids', 'client_user_ids.user_id', 'users.id')
    .select(USER_COLUMNS.map((column) => `users.${column}` as const))
    .where('client_user_ids.team_id', '=', ctx.team.id)
    .where('client_user_ids.client_user_id', '=', clientUserId)
    .$call(prepared('find user by client id'))
    .executeTakeFirst();
  return present(user);
}

function present(user: UserRow | undefined): UserRow {
  if (!user) throw notFound('User');
  if (user.deleted_at !== null) {
    throw new AppError(
      'user_scheduled_for_deletion',
      'This user is scheduled for deletion. You can restore it within 7 days by POST /v2/user/undo_delete.',
    );
  }
  return user;
}

/** Returns users in the form in which responses show them, in the order of `rows`. */
export async function toUsers(ctx: TeamCtx, rows: UserRow[]): Promise<Static<typeof User>[]> {
  if (rows.length === 0) return [];
  const sources = await ctx.subscriptions.connectedSources(
    ctx,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => renderUser(ctx, row, sources.get(row.id) ?? []));
}

export async function toUser(ctx: TeamCtx, row: UserRow): Promise<Static<typeof User>> {
  const [user] = await toUsers(ctx, [row]);
  return user as Static<typeof User>;
}

/**
 * The source_slug of a value that somebody of the team has set. A value from a provider has the slug of the provider.
 */
const SET_BY_HAND = 'manual';

/** Returns a user in the form in which responses show it, with the connected sources. A new user has no sources. */
export function renderUser(ctx: TeamCtx, row: UserRow, connected_sources: ConnectedSource[] = []): Static<typeof User> {
  const { id, fallback_time_zone, fallback_time_zone_at, fallback_birth_date, fallback_birth_date_at } = row;
  return {
    user_id: id,
    team_id: row.team_id,
    client_user_id: row.client_user_id,
    created_on: row.created_at,
    connected_sources,
    fallback_time_zone:
      fallback_time_zone === null
        ? null
        : { id: fallback_time_zone, source_slug: SET_BY_HAND, updated_at: fallback_time_zone_at ?? row.created_at },
    fallback_birth_date:
      fallback_birth_date === null
        ? null
        : {
            value: ctx.cipher.openText('users.fallback_birth_date', row, fallback_birth_date),
            source_slug: SET_BY_HAND,
            updated_at: fallback_birth_date_at ?? row.created_at,
          },
    ingestion_start: row.ingestion_start,
    ingestion_end: row.ingestion_end,
  };
}
