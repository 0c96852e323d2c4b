import type { Static } from 'typebox';
import { creatorType, type StoredCreator } from '../creator.ts';
import { bindingsOf } from '../role-bindings.ts';
import type { ManagementKey } from './schemas.ts';

export const MANAGEMENT_KEY_COLUMNS = [
  'id',
  'label',
  'key_start',
  'role',
  'team_ids',
  'created_by',
  'created_by_member',
  'created_at',
] as const;

export type ManagementKeyRow = StoredCreator & {
  id: string;
  label: string;
  key_start: string;
  role: string;
  team_ids: string[] | null;
  created_at: string;
};

/** Renders a management key for the management API, with only the first characters of its value. */
export function toManagementKey(row: ManagementKeyRow): Static<typeof ManagementKey> {
  const { id, label, key_start, role, team_ids, created_at } = row;
  return {
    id,
    label,
    key_prefix: key_start,
    created_at,
    creator: { type: creatorType(row) },
    role: role as Static<typeof ManagementKey>['role'],
    team_role_bindings: bindingsOf(team_ids),
  };
}
