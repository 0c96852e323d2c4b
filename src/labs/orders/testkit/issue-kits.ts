import { randomBytes } from 'node:crypto';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { issueSampleIds } from '../bind-sample.ts';

/** The letters and digits of an id, without letters that look like digits, such as O. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** The length of an id. The id has 60 random bits, so nobody can guess one, and no two are equal. */
const LENGTH = 12;

/**
 * Creates sample ids of kits and issues them to the team, which can then register these kits. The ids are short enough
 * for the fields of laboratories.
 */
export async function issueKits(ctx: TxCtx<TeamCtx>, count: number): Promise<string[]> {
  const ids = Array.from(
    { length: count },
    () => `K${[...randomBytes(LENGTH)].map((byte) => LETTERS[byte % 32]).join('')}`,
  );
  await issueSampleIds(ctx, ids);
  return ids;
}
