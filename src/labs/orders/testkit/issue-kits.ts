import { randomBytes } from 'node:crypto';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { issueSampleIds } from './bind-sample.ts';

/** Without letters that are read as digits. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 60 random bits: nobody guesses the id of a kit, and none comes twice. */
const LENGTH = 12;

/** Ids of kits for the team, by which they can be registered; short enough for the fields of laboratories. */
export async function issueKits(ctx: TxCtx<TeamCtx>, count: number): Promise<string[]> {
  const ids = Array.from(
    { length: count },
    () => `K${[...randomBytes(LENGTH)].map((byte) => LETTERS[byte % 32]).join('')}`,
  );
  await issueSampleIds(ctx, ids);
  return ids;
}
