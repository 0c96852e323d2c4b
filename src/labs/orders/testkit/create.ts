import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { findLabTest } from '../../catalogue/find.ts';
import { findLabAccount, refuseUnlessOrderable, type LabAccountRow } from '../../catalogue/lab-accounts/find.ts';
import { refuseUnlessBilled } from '../create/resolve-billing.ts';
import { insertOrder } from '../create/insert-order.ts';
import type { LoadedOrder } from '../load-order.ts';
import type { TestkitOrderInput } from '../schemas.ts';

/**
 * Creates an order for a kit that we send to a user, who registers it later. If we already know that the registration
 * would fail, we refuse the order, so that nobody sends a kit in vain. For example, the laboratory may not serve the
 * state, or an account may be missing or not billable in this state.
 */
export function createTestkitOrder(ctx: TeamCtx, input: Static<typeof TestkitOrderInput>): Promise<LoadedOrder> {
  return inTransaction(ctx, async (ctx) => {
    const account = input.lab_account_id ? await accountFor(ctx, input.lab_test_id, input.lab_account_id) : null;
    const { second_line, ...shipping } = input.shipping_details;
    refuseUnlessBilled(account, 'client_bill', shipping.state);
    return insertOrder(ctx, {
      user_id: input.user_id,
      lab_test_id: input.lab_test_id,
      method: 'testkit',
      shipping_details: { ...shipping, second_line: second_line ?? '' },
      passthrough: input.passthrough ?? null,
      lab_account_id: account?.id ?? null,
      clinical_notes: account?.default_clinical_notes ?? null,
      statuses: ['ordered', 'awaiting_registration'],
      sentTo: shipping.state,
    });
  });
}

async function accountFor(ctx: TeamCtx, labTestId: string, accountId: string): Promise<LabAccountRow> {
  const { lab_id } = await findLabTest(ctx, labTestId);
  const account = await findLabAccount(ctx, accountId);
  refuseUnlessOrderable(account, lab_id);
  return account;
}
