import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { loadOrder, lockOrder } from '../load-order.ts';

type Settings = { order_id: string; sms_enabled: boolean };

/** Text messages to the patient are allowed unless the customer has stored a different setting. */
const DEFAULT = true;

/** Returns which messages may be sent to the patient of an order. */
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

/** Stores which messages may be sent to the patient. This does not change the order and publishes no event. */
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
