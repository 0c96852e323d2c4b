import type { Limits } from '../config/options.ts';
import type { TxCtx } from '../context.ts';
import { lockName } from '../db/session/named-lock.ts';
import { AppError } from '../errors.ts';

const WHOSE: Record<keyof Limits, string> = {
  teamsPerOrg: 'An organisation may have at most # teams here.',
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
 * Refuses one more where the limit is reached: 403 `limit_reached`, with `limit` beside the code.
 * To be called in the transaction of the insert and before it: calls for the same `ownerId` wait for each other until
 * they commit, so that two at once cannot both take the last place. `count` tells how many there are.
 */
export async function refuseBeyondLimit(
  ctx: TxCtx,
  limit: keyof Limits,
  ownerId: string,
  count: () => Promise<number>,
): Promise<void> {
  const most = ctx.config.limits[limit];
  if (most === null) return;
  await waitForOthers(ctx, limit, ownerId);
  if ((await count()) < most) return;
  throw new AppError(
    'limit_reached',
    `${WHOSE[limit].replace('#', String(most))} Remove one, or ask for a higher limit.`,
    {
      fields: { limit: most },
    },
  );
}

/** Waits, until they commit, for those who take one of the owner's at the same moment. */
export async function waitForOthers({ db }: TxCtx, limit: keyof Limits, ownerId: string): Promise<void> {
  await lockName(db, 'limit', limit, ownerId);
}
