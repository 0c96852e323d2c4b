import type { TeamCtx, TxCtx } from '../../context.ts';

type Kind = 'patient' | 'recipient';
type Hasher = Pick<TeamCtx | TxCtx<TeamCtx>, 'cipher' | 'team'>;

/** Whole words of a name, without case and accents, as keyed hashes: the names themselves cannot be read from them. */
export function hashWords(ctx: Hasher, name: string): Buffer[] {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  return [...new Set(words)].map((word) => ctx.cipher.lookupHash('name_word', ctx.team.id, word));
}

/** Replaces what an order is found by. */
export async function storeNameWords(
  ctx: TxCtx<TeamCtx>,
  order: { id: string; user_id: string },
  kind: Kind,
  name: string,
): Promise<void> {
  await ctx.db
    .deleteFrom('order_name_words')
    .where('user_id', '=', order.user_id)
    .where('order_id', '=', order.id)
    .where('kind', '=', kind)
    .execute();
  const hashes = hashWords(ctx, name);
  if (hashes.length === 0) return;
  await ctx.db
    .insertInto('order_name_words')
    .values(
      hashes.map((word_hash) => ({
        user_id: order.user_id,
        order_id: order.id,
        team_id: ctx.team.id,
        kind,
        word_hash,
      })),
    )
    .execute();
}
