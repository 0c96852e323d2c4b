import type { Ctx } from '../../../context.ts';
import { teamIdsOf } from '../../role-bindings.ts';

/** What `ehr_members.person` holds, sealed. */
export type EhrPerson = { integration_member_id: string; name: string; email: string; avatar: string | null };

export const integrationMemberHash = (
  { cipher }: Pick<Ctx, 'cipher'>,
  orgId: string,
  integrationMemberId: string,
): Buffer => cipher.lookupHash('integration_member', orgId, integrationMemberId);

export const sealPerson = ({ cipher }: Pick<Ctx, 'cipher'>, orgId: string, id: string, person: EhrPerson): Buffer =>
  cipher.sealJson('ehr_members.person', { team_id: orgId, id }, person);

/** The teams of a person; null where there is none. */
export const teamsOfPerson = (bindings: { team_id: string }[] | null | undefined): string[] | null =>
  bindings && bindings.length > 0 ? teamIdsOf(bindings) : null;
