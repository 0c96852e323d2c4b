import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { MIN_ID } from '../../../ids.ts';
import { findDefaultKit, findLabTest } from '../../catalogue/find.ts';
import { listLabAccounts } from '../../catalogue/lab-accounts/find.ts';
import { findOrderLab } from '../create/find-order-lab.ts';
import { insertOrder } from '../create/insert-order.ts';
import { loadOrder, type LoadedOrder } from '../load-order.ts';
import { openOrder, type StoredOrder } from '../sealed.ts';
import { KIT_NOT_BACK } from '../status/statuses.ts';

const MAX_WAITING = 100;
const AT_ONCE = 100;

/**
 * Finds the order for a kit whose sample id belongs to no order yet. This is the user's oldest order that waits for a
 * kit. If the caller names a lab test, only orders of that lab test count. If no order waits, the function creates one,
 * for this lab test or for the team's default kit. Throws sample_ambiguous if orders of several lab tests wait.
 */
export async function findOrMakeWaitingOrder(
  ctx: TxCtx<TeamCtx>,
  user: LoadedOrder['user'],
  labTestId: string | null,
): Promise<LoadedOrder> {
  const waiting = await lockWaiting(ctx, user.id, labTestId);
  const [oldest] = waiting;
  if (!oldest) {
    const { id: lab_test_id, lab_id } = labTestId ? await findLabTest(ctx, labTestId) : await findDefaultKit(ctx);
    return insertOrder(ctx, {
      user_id: user.id,
      lab_test_id,
      method: 'testkit',
      shipping_details: null,
      lab_account_id: await onlyAccountAt(ctx, lab_id),
      statuses: ['ordered', 'awaiting_registration'],
    });
  }
  if (waiting.some(({ lab_test_id }) => lab_test_id !== oldest.lab_test_id)) {
    throw new AppError(
      'sample_ambiguous',
      'The user waits for kits of several lab tests. Send the lab_test_id of this kit.',
    );
  }
  return loadOrder(ctx, oldest.id);
}

type WaitingOrder = Pick<StoredOrder, 'id' | 'team_id' | 'lab_test_id' | 'personal' | 'patient_details'>;

/**
 * Locks and returns the kit orders of a user that have no patient yet, oldest first. Patients are sealed, so SQL cannot
 * select orders without one. The function decrypts each row and skips orders that have a patient.
 */
async function lockWaiting(ctx: TxCtx<TeamCtx>, userId: string, labTestId: string | null): Promise<WaitingOrder[]> {
  const waiting: WaitingOrder[] = [];
  for (let after = MIN_ID; ;) {
    // If another transaction has locked a row, this statement waits for that transaction. Then it returns the row only
    // if the order still waits for a kit.
    const { rows } = await sql<WaitingOrder>`
      select id, team_id, lab_test_id, personal, patient_details from orders
       where user_id = ${userId} and team_id = ${ctx.team.id} and method = 'testkit' and sample_id is null
         and last_low_level_status = any (${KIT_NOT_BACK}::text[])
         and (${labTestId}::uuid is null or lab_test_id = ${labTestId}::uuid) and id > ${after}
       order by id limit ${AT_ONCE} for update`.execute(ctx.db);
    waiting.push(...rows.filter((row) => openOrder(ctx, row).patient_details === null));
    if (rows.length < AT_ONCE || waiting.length >= MAX_WAITING) return waiting;
    after = rows.at(-1)?.id as string;
  }
}

/**
 * Returns the account for a new order, because a registration names no account. If the laboratory requires an account
 * and the team has exactly one there, the function returns this account. Otherwise it returns null.
 */
async function onlyAccountAt(ctx: TxCtx<TeamCtx>, labId: number): Promise<string | null> {
  const { order_rules } = await findOrderLab(ctx, labId);
  if (!order_rules.account_required) return null;
  const accounts = await listLabAccounts(ctx, { status: 'active' });
  const [first, ...others] = accounts.filter(({ lab_id }) => lab_id === labId);
  return first && others.length === 0 ? first.id : null;
}
