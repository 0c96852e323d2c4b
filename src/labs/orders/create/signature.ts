import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import type { PhysicianWithSignature } from './schemas.ts';
import type { LoadedOrder } from '../load.ts';

export type Signature = NonNullable<Static<typeof PhysicianWithSignature>['signature_image']>;

/** Keeps the ordering physician's signature beside the order, where one came with it. */
export async function keepSignature(
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

/** The signature that came with the order; null where none did. */
export async function findSignatureOrNull(ctx: TeamCtx, { row }: LoadedOrder): Promise<Signature | null> {
  const kept = await ctx.db
    .selectFrom('order_signatures')
    .select('content')
    .where('user_id', '=', row.user_id)
    .where('order_id', '=', row.id)
    .executeTakeFirst();
  return kept
    ? ctx.cipher.openJson<Signature>('order_signatures.content', { team_id: row.team_id, id: row.id }, kept.content)
    : null;
}
