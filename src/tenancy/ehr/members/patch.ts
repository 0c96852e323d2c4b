import type { Static } from 'typebox';
import type { ManagementCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { refuseUnknownTeams } from '../../teams/find.ts';
import { findEhrMember } from './find.ts';
import { sealPerson, teamsOfPerson } from './ehr-person.ts';
import type { FoundEhrMember } from './render.ts';
import type { EhrMemberPatch } from '../schemas.ts';

/**
 * Changes a person of the EHR (electronic health record system). Null removes the avatar or the teams, and leaves the
 * name or the email address unchanged. Throws not_found if the person or a team does not exist.
 */
export function patchEhrMember(
  ctx: ManagementCtx,
  memberId: string,
  patch: Static<typeof EhrMemberPatch>,
): Promise<FoundEhrMember> {
  return inTransaction(ctx, async (ctx) => {
    const { team_ids: bound, id, ...current } = await findEhrMember(ctx, { id: memberId });
    const team_ids = patch.team_role_bindings === undefined ? bound : teamsOfPerson(patch.team_role_bindings);
    if (patch.team_role_bindings && team_ids) await refuseUnknownTeams(ctx, ctx.org.id, team_ids);
    const person = {
      ...current,
      name: patch.name ?? current.name,
      email: patch.email ?? current.email,
      avatar: patch.avatar === undefined ? current.avatar : patch.avatar,
    };
    await ctx.db
      .updateTable('ehr_members')
      .set({ person: sealPerson(ctx, ctx.org.id, id, person), team_ids })
      .where('org_id', '=', ctx.org.id)
      .where('id', '=', id)
      .execute();
    return { id, ...person, team_ids };
  });
}
