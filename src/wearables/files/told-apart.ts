// Files tell sources of one kind apart by what their person calls them, of which the parser tells a digest.
import type { TeamCtx, TxCtx } from '../../context.ts';
import { BY_HAND } from '../by-hand.ts';

/** Enough that no two sources of a user are alike. */
const BYTES = 8;

type Sourced = { provider: string; app_id?: string | null };

/**
 * Has each value name its source by a keyed hash, of which nobody can find out the name; the same for each file of the user. What a
 * person typed in keeps its mark.
 */
export function toldApart<T extends Sourced>({ cipher, team }: TxCtx<TeamCtx>, user: { id: string }, all: T[]): T[] {
  const hashes = new Map<string, string>();
  return all.map((each) => {
    const { provider, app_id } = each;
    if (!app_id || app_id === BY_HAND.app_id) return each;
    const name = `${user.id} ${provider} ${app_id}`;
    const hash = hashes.get(name) ?? cipher.lookupHash('source', team.id, name).subarray(0, BYTES).toString('hex');
    hashes.set(name, hash);
    return { ...each, app_id: `export.${hash}` };
  });
}
