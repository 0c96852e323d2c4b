import type { Static } from 'typebox';
import type { Ctx } from '../../../context.ts';
import { bindingsOf } from '../../role-bindings.ts';
import type { EhrMember } from '../schemas.ts';
import type { EhrPerson } from './ehr-person.ts';

export const EHR_MEMBER_COLUMNS = ['id', 'person', 'team_ids'] as const;
type EhrMemberRow = { id: string; person: Buffer; team_ids: string[] | null };
export type FoundEhrMember = EhrPerson & { id: string; team_ids: string[] | null };

export const openMember = (
  { cipher }: Pick<Ctx, 'cipher'>,
  orgId: string,
  { id, person, team_ids }: EhrMemberRow,
): FoundEhrMember => ({
  id,
  ...cipher.openJson<EhrPerson>('ehr_members.person', { team_id: orgId, id }, person),
  team_ids,
});

/** Renders a member for the management API. */
export const toEhrMember = ({ team_ids, ...member }: FoundEhrMember): Static<typeof EhrMember> => ({
  ...member,
  team_role_bindings: bindingsOf(team_ids),
});
