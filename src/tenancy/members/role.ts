import type { Static } from 'typebox';
import { AppError } from '../../errors.ts';
import { bindingsOf, teamIdsOf } from '../role-bindings.ts';
import type { MemberRole } from './schemas.ts';

/** A role as it is stored: the teams of a team_admin, and of nobody else. */
export type BoundRole = { role: 'org_admin' | 'no_role'; team_ids: null } | { role: 'team_admin'; team_ids: string[] };

type Bindings = { team_id: string }[];

/** What a change leaves of a role: null leaves either as it is. Throws role_bindings_mismatch. */
export function changedRole(
  kept: { role: string; team_ids: string[] | null },
  asked: { role: Static<typeof MemberRole> | null; team_role_bindings: Bindings | null },
): BoundRole {
  const role = asked.role ?? (kept.role as Static<typeof MemberRole>);
  const team_ids = asked.team_role_bindings ? teamIdsOf(asked.team_role_bindings) : kept.team_ids;
  if (role === 'team_admin') {
    if (team_ids) return { role, team_ids };
    throw new AppError('role_bindings_mismatch', 'A team_admin needs team_role_bindings: the teams to manage.');
  }
  if (asked.team_role_bindings) {
    throw new AppError(
      'role_bindings_mismatch',
      'Only a team_admin is bound to teams. Send team_role_bindings as null.',
    );
  }
  return { role, team_ids: null };
}

/** As the wire shows it. */
export const shownRole = (row: {
  role: string;
  team_ids: string[] | null;
}): { role: Static<typeof MemberRole>; team_role_bindings: Bindings | null } => ({
  role: row.role as Static<typeof MemberRole>,
  team_role_bindings: bindingsOf(row.team_ids),
});
