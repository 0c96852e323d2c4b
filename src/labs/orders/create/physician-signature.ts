import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import type { PhysicianWithSignature } from './schemas.ts';
import type { LoadedOrder } from '../load-order.ts';

export type Signature = NonNullable<Static<typeof PhysicianWithSignature>['signature_image']>;

/** Stores the signature of the ordering physician in a row of `order_signatures`, if the request contains one. */
export async function storeSignature(
  ctx: TxCtx<TeamCtx>,
  { row }: LoadedOrder,
  physician: Static<typeof PhysicianWithSignature> | null | undefined,
): Promise<void> {
  const image = physician?.signature_image;
  if (!image) return;
  const key = { user_id: row.user_id, order_id: row.id, team_id: ctx.team.id };
  await ctx.db
    .insertInto('order_signatures')
    .values({
      ...key,
      content: ctx.cipher.sealJson('order_signatures.content', { team_id: ctx.team.id, id: row.id }, image),
    })
    .execute();
}

/** Returns the physician's signature that was sent with the order, or null. */
export async function findSignatureOrNull(ctx: TeamCtx, { row }: LoadedOrder): Promise<Signature | null> {
  const stored = await ctx.db
    .selectFrom('order_signatures')
    .select('content')
    .where('user_id', '=', row.user_id)
    .where('order_id', '=', row.id)
    .executeTakeFirst();
  return stored
    ? ctx.cipher.openJson<Signature>('order_signatures.content', { team_id: row.team_id, id: row.id }, stored.content)
    : null;
}
