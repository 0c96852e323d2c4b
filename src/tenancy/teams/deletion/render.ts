import type { Static } from 'typebox';
import type { TeamDeletion } from './schemas.ts';

/** The stored progress of the erasure of a deleted team. */
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

/** Renders a deletion for the management API. */
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
