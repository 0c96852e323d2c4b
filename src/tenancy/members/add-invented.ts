import type { TeamCtx, TxCtx } from '../../context.ts';
import { boundToOrg } from '../../db/session/bind.ts';
import { newId } from '../../ids.ts';
import { lockLimit } from '../limits.ts';
import { countPeople } from './invites/count-people.ts';
import { insertInvite } from './invites/insert-invite.ts';
import { insertMember } from './insert-member.ts';
import { emailHash, type Person } from './person.ts';
import type { BoundRole } from './role.ts';

/** The operator's own work names no creator. */
const NOBODY = { created_by: null, created_by_member: null };

/**
 * Adds invented people of a sandbox as administrators of the team, and one open invite. Nobody gets a mail: the
 * addresses are invented too. People whom the organisation has already stay as they are, and beyond its limit it gets
 * none.
 */
export async function addInventedMembers(
  ctx: TxCtx<TeamCtx>,
  { members, invited }: { members: readonly Person[]; invited: string },
): Promise<void> {
  const { id: teamId, org_id } = ctx.team;
  const tx = boundToOrg(ctx, org_id);
  const bound: BoundRole = { role: 'team_admin', team_ids: [teamId] };
  await lockLimit(tx, 'membersPerOrg', org_id);
  for (const person of members) {
    if (await canAdd(tx, org_id, person.email)) await insertMember(tx, { id: newId(), org_id, ...person, ...bound });
  }
  if (await canAdd(tx, org_id, invited)) await insertInvite(tx, { org_id, email: invited, bound, creator: NOBODY });
}

async function canAdd(tx: TxCtx, orgId: string, email: string): Promise<boolean> {
  const most = tx.config.limits.membersPerOrg;
  if (most !== null && (await countPeople(tx, orgId)) >= most) return false;
  const hash = emailHash(tx, orgId, email);
  for (const table of ['org_members', 'org_invites'] as const) {
    const known = await tx.db
      .selectFrom(table)
      .select('id')
      .where('org_id', '=', orgId)
      .where('email_hash', '=', hash)
      .executeTakeFirst();
    if (known) return false;
  }
  return true;
}
