// A file distinguishes sources of the same type by names that the user gave them, for example "Jo's Watch". The parser
// writes only a digest of the name: a hash without a key.
import type { TeamCtx, TxCtx } from '../../context.ts';
import { BY_HAND } from '../by-hand.ts';

/** The length of the hash in bytes. With 8 bytes, two sources of a user practically never have the same hash. */
const BYTES = 8;

type Sourced = { provider: string; app_id?: string | null };

/**
 * Replaces the digest in `app_id` by a keyed hash. Without the key, nobody can find the name by trying names. The hash
 * of a name is the same in all files of the user. Data that the user typed in keeps its `app_id` (`manual`).
 */
export function hashSources<T extends Sourced>({ cipher, team }: TxCtx<TeamCtx>, user: { id: string }, all: T[]): T[] {
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
