import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError, notFound } from '../../../errors.ts';
import { findLabTest } from '../../catalogue/find.ts';
import { findUser } from '../../../users/find.ts';
import { appendOrderEvents } from '../status/append-events.ts';
import { startAutopilot } from '../autopilot.ts';
import { insertOrder } from '../insert-order.ts';
import type { LoadedOrder } from '../load.ts';
import { storeNameWords } from '../name-words.ts';
import type { TestkitOrderInput } from '../schemas.ts';

/** Orders a kit that is sent to a user who registers it later. */
export function createTestkitOrder(ctx: TeamCtx, input: Static<typeof TestkitOrderInput>): Promise<LoadedOrder> {
  return inTransaction(ctx, async (ctx) => {
    const user = await findUser(ctx, input.user_id);
    const labTest = await findLabTest(ctx, input.lab_test_id);
    if (input.lab_account_id) throw notFound('Lab account');
    if (labTest.method !== 'testkit' || labTest.status !== 'active') {
      throw new AppError(
        'lab_test_not_orderable',
        'This lab test is not an active test kit. GET /v3/lab_test?collection_method=testkit&status=active lists those that are.',
      );
    }
    const { second_line, ...shipping } = input.shipping_details;
    const order = await insertOrder(ctx, {
      user_id: user.id,
      lab_test_id: labTest.id,
      method: 'testkit',
      shipping_details: { ...shipping, second_line: second_line ?? '' },
      passthrough: input.passthrough,
    });
    await storeNameWords(ctx, order, 'recipient', shipping.receiver_name);
    const loaded = await appendOrderEvents(ctx, order, [{ status: 'ordered' }, { status: 'awaiting_registration' }]);
    await startAutopilot(ctx, order.id);
    return loaded;
  });
}
