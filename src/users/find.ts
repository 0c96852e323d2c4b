import type { Selectable } from 'kysely';
import type { Static } from 'typebox';
import type { ConnectedSource, TeamCtx } from '../context.ts';
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

/** As it is stored: the birth date is sealed. */
export type UserRow = Pick<Selectable<DB['users']>, (typeof USER_COLUMNS)[number]>;

/** A user of the caller's team; one that is scheduled for deletion reads as not found, with its own code. */
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

/** The user with the customer's own reference. */
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
      'This user is scheduled for deletion. POST /v2/user/undo_delete brings it back within 7 days.',
    );
  }
  return user;
}

/** Users as they are shown, in the order of `rows`. */
export async function toUsers(ctx: TeamCtx, rows: UserRow[]): Promise<Static<typeof User>[]> {
  if (rows.length === 0) return [];
  const sources = await ctx.connectedSources(
    ctx,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => renderUser(ctx, row, sources.get(row.id) ?? []));
}

export async function toUser(ctx: TeamCtx, row: UserRow): Promise<Static<typeof User>> {
  const [user] = await toUsers(ctx, [row]);
  return user as Static<typeof User>;
}

/** What team members set by hand, as opposed to what a provider told. */
const SET_BY_HAND = 'manual';

/** A user with what it has connected; a new one has nothing. */
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
