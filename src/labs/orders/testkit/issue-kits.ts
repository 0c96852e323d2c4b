import { randomBytes } from 'node:crypto';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { lockName } from '../../../db/session/named-lock.ts';
import { countUnboundSamples, issueSampleIds } from '../bind-sample.ts';

/** The letters and digits of an id, without letters that look like digits, such as O. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** The length of an id. The id has 60 random bits, so nobody can guess one, and no two are equal. */
const LENGTH = 12;

/** The most issued ids of a team that no order has. */
const MAX_WAITING = 100_000;

/**
 * Creates sample ids of kits and issues them to the team, which can then register these kits. The ids are short enough
 * for the fields of laboratories. Throws limit_reached if too many ids of the team have no order.
 */
export async function issueKits(ctx: TxCtx<TeamCtx>, count: number): Promise<string[]> {
  const ids = Array.from(
    { length: count },
    () => `K${[...randomBytes(LENGTH)].map((byte) => LETTERS[byte % 32]).join('')}`,
  );
  await lockName(ctx.db, 'limit', 'kits', ctx.team.id);
  if ((await countUnboundSamples(ctx)) + count > MAX_WAITING) {
    throw new AppError(
      'limit_reached',
      `A team may have at most ${MAX_WAITING} issued ids of kits that nobody has registered.`,
      { fields: { limit: MAX_WAITING } },
    );
  }
  await issueSampleIds(ctx, ids);
  return ids;
}
