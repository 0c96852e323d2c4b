import type { Static } from 'typebox';
import type { Ctx, ManagementCtx } from '../../../context.ts';
import { notFound } from '../../../errors.ts';
import type { TeamDeletion } from './schemas.ts';

/** How far the erasure of a deleted team has come, as it is kept. */
export type DeletionRow = {
  id: string;
  requested_at: string;
  started_at: string | null;
  ended_at: string | null;
  users: number | null;
  erased_users: number;
  rooms: number | null;
  erased_rooms: number;
};

export const DELETION_COLUMNS = [
  'id',
  'requested_at',
  'started_at',
  'ended_at',
  'users',
  'erased_users',
  'rooms',
  'erased_rooms',
] as const;

/** Of a team that the organisation has deleted, also when nothing of the team is left. Throws not_found. */
export async function findDeletion(ctx: ManagementCtx, teamId: string): Promise<DeletionRow> {
  const found = await ctx.db
    .selectFrom('team_deletions')
    .select(DELETION_COLUMNS)
    .where('org_id', '=', ctx.org.id)
    .where('id', '=', teamId)
    .executeTakeFirst();
  if (!found) throw notFound('Deletion');
  return found;
}

/** Whether a team of this id was deleted, of whichever organisation: `ctx` sees what is that team's. */
export async function wasDeleted({ db }: Ctx, teamId: string): Promise<boolean> {
  const found = await db.selectFrom('team_deletions').select('id').where('id', '=', teamId).executeTakeFirst();
  return found !== undefined;
}

export const toDeletion = (row: DeletionRow): Static<typeof TeamDeletion> => {
  const { id, requested_at, started_at, ended_at, users, erased_users, rooms, erased_rooms } = row;
  return {
    team_id: id,
    status: ended_at !== null ? 'done' : started_at !== null ? 'running' : 'scheduled',
    requested_at,
    started_at,
    ended_at,
    progress: { users, erased_users, rooms, erased_rooms },
  };
};
