import type { Limits } from '../config/options.ts';
import type { TxCtx } from '../context.ts';
import { lockName } from '../db/session/named-lock.ts';
import { AppError } from '../errors.ts';

const WHOSE: Record<keyof Limits, string> = {
  teamsPerOrg: 'An organisation may have at most # teams in this deployment.',
  managementKeysPerOrg: 'An organisation may have at most # management keys in use.',
  membersPerOrg: 'An organisation may have at most # members and open invites.',
  domainsPerOrg: 'An organisation may have at most # domains.',
  ehrMembersPerOrg: 'An organisation may have at most # members of an EHR.',
  apiKeysPerTeam: 'A team may have at most # API keys in use.',
  labTestsPerTeam: 'A team may have at most # lab tests of its own.',
  webhooksPerTeam: 'A team may have at most # webhook endpoints.',
  continuousQueriesPerTeam: 'A team may have at most # continuous queries.',
  usersPerTeam: 'A team may have at most # users.',
};

/**
 * Throws limit_reached, a 403 response with the `limit`, if the owner has already reached the limit. `count` returns
 * the current number. Call it in the transaction of the insert, before the insert. Two transactions could otherwise
 * both insert the last allowed row, so calls for the same `ownerId` wait for each other until they commit.
 */
export async function refuseBeyondLimit(
  ctx: TxCtx,
  limit: keyof Limits,
  ownerId: string,
  count: () => Promise<number>,
): Promise<void> {
  const most = ctx.config.limits[limit];
  if (most === null) return;
  await lockLimit(ctx, limit, ownerId);
  if ((await count()) < most) return;
  throw new AppError(
    'limit_reached',
    `${WHOSE[limit].replace('#', String(most))} Remove one, or ask for a higher limit.`,
    {
      fields: { limit: most },
    },
  );
}

/** Waits until concurrent transactions for the same limit of the same owner have ended. */
export async function lockLimit({ db }: TxCtx, limit: keyof Limits, ownerId: string): Promise<void> {
  await lockName(db, 'limit', limit, ownerId);
}
