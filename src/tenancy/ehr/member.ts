import type { Static } from 'typebox';
import type { Ctx, ManagementCtx, TxCtx } from '../../context.ts';
import { notFound } from '../../errors.ts';
import { bindingsOf, teamIdsOf } from '../role-bindings.ts';
import type { EhrMember } from './schemas.ts';

/** What `ehr_members.person` holds, sealed. */
export type EhrPerson = { integration_member_id: string; name: string; email: string; avatar: string | null };

export const EHR_MEMBER_COLUMNS = ['id', 'person', 'team_ids'] as const;
export type EhrMemberRow = { id: string; person: Buffer; team_ids: string[] | null };
export type FoundEhrMember = EhrPerson & { id: string; team_ids: string[] | null };

type Cipher = Pick<Ctx, 'cipher'>;

export const integrationMemberHash = ({ cipher }: Cipher, orgId: string, integrationMemberId: string): Buffer =>
  cipher.lookupHash('integration_member', orgId, integrationMemberId);

export const sealPerson = ({ cipher }: Cipher, orgId: string, id: string, person: EhrPerson): Buffer =>
  cipher.sealJson('ehr_members.person', { team_id: orgId, id }, person);

export const openMember = (
  { cipher }: Cipher,
  orgId: string,
  { id, person, team_ids }: EhrMemberRow,
): FoundEhrMember => ({
  id,
  ...cipher.openJson<EhrPerson>('ehr_members.person', { team_id: orgId, id }, person),
  team_ids,
});

/** As the management API shows it. */
export const toEhrMember = ({ team_ids, ...member }: FoundEhrMember): Static<typeof EhrMember> => ({
  ...member,
  team_role_bindings: bindingsOf(team_ids),
});

/** The teams of a person; null where there is none. */
export const teamsOfPerson = (bindings: { team_id: string }[] | null | undefined): string[] | null =>
  bindings && bindings.length > 0 ? teamIdsOf(bindings) : null;

/** A member by our id or by the EHR's; throws not_found. */
export async function findEhrMember(
  ctx: ManagementCtx | TxCtx<ManagementCtx>,
  by: { id: string } | { integration_member_id: string },
): Promise<FoundEhrMember> {
  const found = await ctx.db
    .selectFrom('ehr_members')
    .select(EHR_MEMBER_COLUMNS)
    .where('org_id', '=', ctx.org.id)
    .$if('id' in by, (query) => query.where('id', '=', (by as { id: string }).id))
    .$if('integration_member_id' in by, (query) =>
      query.where(
        'integration_member_hash',
        '=',
        integrationMemberHash(ctx, ctx.org.id, (by as { integration_member_id: string }).integration_member_id),
      ),
    )
    .$if(ctx.db.isTransaction, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!found) throw notFound('Member');
  return openMember(ctx, ctx.org.id, found);
}
