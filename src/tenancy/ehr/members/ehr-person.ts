import type { Ctx } from '../../../context.ts';
import { teamIdsOf } from '../../role-bindings.ts';

/** The decrypted content of `ehr_members.person`. */
export type EhrPerson = { integration_member_id: string; name: string; email: string; avatar: string | null };

export const integrationMemberHash = (
  { cipher }: Pick<Ctx, 'cipher'>,
  orgId: string,
  integrationMemberId: string,
): Buffer => cipher.lookupHash('integration_member', orgId, integrationMemberId);

export const sealPerson = ({ cipher }: Pick<Ctx, 'cipher'>, orgId: string, id: string, person: EhrPerson): Buffer =>
  cipher.sealJson('ehr_members.person', { team_id: orgId, id }, person);

/** Returns the ids of a person's teams, or null if the person has none. */
export const teamsOfPerson = (bindings: { team_id: string }[] | null | undefined): string[] | null =>
  bindings && bindings.length > 0 ? teamIdsOf(bindings) : null;
