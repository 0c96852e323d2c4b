import type { Static } from 'typebox';
import type { ManagementCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { refuseUnknownTeams } from '../../teams/find.ts';
import { findEhrMember } from './find.ts';
import { sealPerson, teamsOfPerson } from './person.ts';
import type { FoundEhrMember } from './render.ts';
import type { EhrMemberPatch } from '../schemas.ts';

/** Changes a person of the EHR; what may be null is cleared by null, as in the change of a team. Throws not_found, also for a team. */
export function patchEhrMember(
  ctx: ManagementCtx,
  memberId: string,
  patch: Static<typeof EhrMemberPatch>,
): Promise<FoundEhrMember> {
  return inTransaction(ctx, async (ctx) => {
    const { team_ids: bound, id, ...kept } = await findEhrMember(ctx, { id: memberId });
    const team_ids = patch.team_role_bindings === undefined ? bound : teamsOfPerson(patch.team_role_bindings);
    if (patch.team_role_bindings && team_ids) await refuseUnknownTeams(ctx, ctx.org.id, team_ids);
    const person = {
      ...kept,
      name: patch.name ?? kept.name,
      email: patch.email ?? kept.email,
      avatar: patch.avatar === undefined ? kept.avatar : patch.avatar,
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
