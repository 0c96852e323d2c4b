import { sql, type Updateable } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import type { Orders } from '../../db/tables.ts';
import type { LoadedOrder } from './load-order.ts';
import { sealChanged, type OrderRow, type PersonalField } from './sealed.ts';
import { storeNameWords } from './name-words.ts';

type Changes = Partial<
  Pick<OrderRow, PersonalField | 'activate_by' | 'health_insurance_id' | 'interpretation' | 'has_missing_results'>
>;

/**
 * Changes fields of an order without publishing an event. The caller holds the lock on the order's row. The new
 * updated_at is always later than the old one. The function seals personal fields, and replaces the hashes by which
 * lists search for names.
 */
export async function changeOrder(ctx: TxCtx<TeamCtx>, order: LoadedOrder, changes: Changes): Promise<LoadedOrder> {
  const { activate_by, health_insurance_id, interpretation, has_missing_results, ...personal } = changes;
  const plain = { activate_by, health_insurance_id, interpretation, has_missing_results };
  const row = { ...order.row, ...changes };
  const set: Updateable<Orders> = {
    ...Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined)),
    ...sealChanged(ctx, row, personal),
  };
  const { updated_at } = await ctx.db
    .updateTable('orders')
    .set(set)
    .set({
      updated_at: sql<string>`greatest(
        date_trunc('milliseconds', coalesce(${ctx.happenedAt ?? null}::timestamptz, clock_timestamp())),
        updated_at + interval '1 millisecond')`,
    })
    .where('user_id', '=', row.user_id)
    .where('id', '=', row.id)
    .returning('updated_at')
    .executeTakeFirstOrThrow();
  if ('patient_details' in changes || 'shipping_details' in changes) await storeNameWords(ctx, row);
  return {
    ...order,
    row: { ...row, updated_at },
    transaction: order.transaction.map((sibling) => (sibling.id === row.id ? { ...sibling, updated_at } : sibling)),
  };
}
