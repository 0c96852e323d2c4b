import { sql } from 'kysely';
import type { ManagementCtx, TxCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError } from '../../../errors.ts';
import { refuseBeyondLimit, lockLimit } from '../../limits.ts';
import { callerAsCreator } from '../../creator.ts';
import { refuseUnknownTeams } from '../../teams/find.ts';
import { emailHash } from '../person.ts';
import type { BoundRole } from '../role.ts';
import { countPeople } from './count-people.ts';
import { insertInvite } from './insert-invite.ts';
import { mailInvite } from './mail.ts';

export type InviteStatus = 'invite_created' | 'invite_resent' | 'already_in_org';

/**
 * Invites an address. If the address already has an open invite, the function sends the link of that invite again.
 * Throws limit_reached and too_many_mails. Throws not_found if a team does not exist. Throws invite_conflict if the
 * open invite has another role or other teams, because a repeated invite must not change the rights.
 */
export function createInvite(ctx: ManagementCtx, email: string, bound: BoundRole): Promise<InviteStatus> {
  return inTransaction(ctx, async (ctx) => {
    if (bound.team_ids) await refuseUnknownTeams(ctx, ctx.org.id, bound.team_ids);
    await lockLimit(ctx, 'membersPerOrg', ctx.org.id);
    const email_hash = emailHash(ctx, ctx.org.id, email);
    if (await isMember(ctx, email_hash)) return 'already_in_org';
    const open = await ctx.db
      .selectFrom('org_invites')
      .select(['id', 'role', 'team_ids'])
      .where('org_id', '=', ctx.org.id)
      .where('email_hash', '=', email_hash)
      .executeTakeFirst();
    if (open) {
      if (!isSameRole(open, bound)) {
        throw new AppError(
          'invite_conflict',
          'This address has an open invite with another role or other teams. Delete that invite first, then ' +
            'invite again.',
        );
      }
      await ctx.db
        .updateTable('org_invites')
        .set({ resent_at: sql`now()` })
        .where('id', '=', open.id)
        .execute();
      await mailInvite(ctx, ctx.org.id, { id: open.id, email });
      return 'invite_resent';
    }
    await refuseBeyondLimit(ctx, 'membersPerOrg', ctx.org.id, () => countPeople(ctx, ctx.org.id));
    const id = await insertInvite(ctx, { org_id: ctx.org.id, email, bound, creator: callerAsCreator(ctx) });
    await mailInvite(ctx, ctx.org.id, { id, email });
    return 'invite_created';
  });
}

async function isMember(ctx: TxCtx<ManagementCtx>, email_hash: Buffer): Promise<boolean> {
  const member = await ctx.db
    .selectFrom('org_members')
    .select('id')
    .where('org_id', '=', ctx.org.id)
    .where('email_hash', '=', email_hash)
    .executeTakeFirst();
  return member !== undefined;
}

const isSameRole = (open: { role: string; team_ids: string[] | null }, bound: BoundRole): boolean =>
  open.role === bound.role && (open.team_ids ?? []).toSorted().join() === (bound.team_ids ?? []).toSorted().join();
