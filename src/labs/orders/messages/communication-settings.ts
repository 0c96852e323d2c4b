import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { loadOrder, lockOrder } from '../load.ts';

type Settings = { order_id: string; sms_enabled: boolean };

/** Where nobody has said anything, an order's patient may be written to. */
const DEFAULT = true;

/** How the patient of an order may be written to. */
export async function readCommunicationSettings(ctx: TeamCtx, orderId: string): Promise<Settings> {
  const { row } = await loadOrder(ctx, orderId);
  const found = await ctx.db
    .selectFrom('order_communication_settings')
    .select('sms_enabled')
    .where('user_id', '=', row.user_id)
    .where('order_id', '=', row.id)
    .where('team_id', '=', ctx.team.id)
    .executeTakeFirst();
  return { order_id: row.id, sms_enabled: found?.sms_enabled ?? DEFAULT };
}

/** Sets it. The order itself stays as it is, and nothing is told of it. */
export function setCommunicationSettings(
  ctx: TeamCtx,
  orderId: string,
  { sms_enabled }: { sms_enabled: boolean },
): Promise<Settings> {
  return inTransaction(ctx, async (tx) => {
    const { row } = await lockOrder(tx, orderId);
    await tx.db
      .insertInto('order_communication_settings')
      .values({ user_id: row.user_id, order_id: row.id, team_id: ctx.team.id, sms_enabled })
      .onConflict((oc) => oc.columns(['user_id', 'order_id']).doUpdateSet({ sms_enabled }))
      .execute();
    return { order_id: row.id, sms_enabled };
  });
}
