import type { Static } from 'typebox';
import { AppError } from '../../errors.ts';
import { bindingsOf, teamIdsOf } from '../role-bindings.ts';
import type { MemberRole } from '../schemas.ts';

/** The role of a member with its teams, as it is stored. Only a team_admin has teams. */
export type BoundRole = { role: 'org_admin' | 'no_role'; team_ids: null } | { role: 'team_admin'; team_ids: string[] };

type Bindings = { team_id: string }[];

/**
 * Returns the role after a change. A value of null leaves the role or the teams unchanged. Throws
 * role_bindings_mismatch.
 */
export function changedRole(
  current: { role: string; team_ids: string[] | null },
  asked: { role: Static<typeof MemberRole> | null; team_role_bindings: Bindings | null },
): BoundRole {
  const role = asked.role ?? (current.role as Static<typeof MemberRole>);
  const team_ids = asked.team_role_bindings ? teamIdsOf(asked.team_role_bindings) : current.team_ids;
  if (role === 'team_admin') {
    if (team_ids) return { role, team_ids };
    throw new AppError('role_bindings_mismatch', 'A team_admin needs team_role_bindings, the teams to manage.');
  }
  if (asked.team_role_bindings) {
    throw new AppError(
      'role_bindings_mismatch',
      'Only a team_admin can be bound to teams. Send team_role_bindings as null.',
    );
  }
  return { role, team_ids: null };
}

/** Renders a role for responses. */
export const shownRole = (row: {
  role: string;
  team_ids: string[] | null;
}): { role: Static<typeof MemberRole>; team_role_bindings: Bindings | null } => ({
  role: row.role as Static<typeof MemberRole>,
  team_role_bindings: bindingsOf(row.team_ids),
});
