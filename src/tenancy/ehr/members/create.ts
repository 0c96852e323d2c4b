import type { Static } from 'typebox';
import type { ManagementCtx, TxCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError } from '../../../errors.ts';
import { newId } from '../../../ids.ts';
import { refuseBeyondLimit, lockLimit } from '../../limits.ts';
import { refuseUnknownTeams } from '../../teams/find.ts';
import { integrationMemberHash, sealPerson, teamsOfPerson } from './ehr-person.ts';
import type { FoundEhrMember } from './render.ts';
import type { EhrMemberInput } from '../schemas.ts';

/**
 * Adds a person of the EHR (electronic health record system). Throws limit_reached. Throws
 * integration_member_id_conflict if the organisation already has a person with this id. Throws not_found if a team does
 * not exist.
 */
export function createEhrMember(
  ctx: ManagementCtx,
  { integration_member_id, name, email, avatar = null, team_role_bindings }: Static<typeof EhrMemberInput>,
): Promise<FoundEhrMember> {
  return inTransaction(ctx, async (ctx) => {
    const { id: org_id } = ctx.org;
    const team_ids = teamsOfPerson(team_role_bindings);
    if (team_ids) await refuseUnknownTeams(ctx, org_id, team_ids);
    await lockLimit(ctx, 'ehrMembersPerOrg', org_id);
    const integration_member_hash = integrationMemberHash(ctx, org_id, integration_member_id);
    await refuseTaken(ctx, integration_member_hash);
    await refuseBeyondLimit(ctx, 'ehrMembersPerOrg', org_id, () => countMembers(ctx));
    const id = newId();
    const person = { integration_member_id, name, email, avatar };
    await ctx.db
      .insertInto('ehr_members')
      .values({ id, org_id, person: sealPerson(ctx, org_id, id, person), integration_member_hash, team_ids })
      .execute();
    return { id, ...person, team_ids };
  });
}

async function refuseTaken({ db, org }: TxCtx<ManagementCtx>, hash: Buffer): Promise<void> {
  const taken = await db
    .selectFrom('ehr_members')
    .select('id')
    .where('org_id', '=', org.id)
    .where('integration_member_hash', '=', hash)
    .executeTakeFirst();
  if (!taken) return;
  throw new AppError('integration_member_id_conflict', 'A member with this integration_member_id exists.', {
    detail: { member_id: taken.id },
    fields: { member_id: taken.id },
  });
}

async function countMembers({ db, org }: TxCtx<ManagementCtx>): Promise<number> {
  const { members } = await db
    .selectFrom('ehr_members')
    .select((eb) => eb.fn.countAll<number>().as('members'))
    .where('org_id', '=', org.id)
    .executeTakeFirstOrThrow();
  return members;
}
