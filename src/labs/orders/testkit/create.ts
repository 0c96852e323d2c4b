import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { notFound } from '../../../errors.ts';
import { startAutopilot } from '../autopilot.ts';
import { insertOrder } from '../create/insert-order.ts';
import type { LoadedOrder } from '../load.ts';
import type { TestkitOrderInput } from '../schemas.ts';

/** Orders a kit that is sent to a user who registers it later. */
export function createTestkitOrder(ctx: TeamCtx, input: Static<typeof TestkitOrderInput>): Promise<LoadedOrder> {
  return inTransaction(ctx, async (ctx) => {
    if (input.lab_account_id) throw notFound('Lab account');
    const { second_line, ...shipping } = input.shipping_details;
    const order = await insertOrder(ctx, {
      user_id: input.user_id,
      lab_test_id: input.lab_test_id,
      method: 'testkit',
      shipping_details: { ...shipping, second_line: second_line ?? '' },
      passthrough: input.passthrough,
      statuses: ['ordered', 'awaiting_registration'],
    });
    await startAutopilot(ctx, order.row.id);
    return order;
  });
}
