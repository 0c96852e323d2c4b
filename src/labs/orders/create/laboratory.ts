import type { TeamCtx, TxCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import type { LabAccountRow } from '../../catalogue/lab-accounts/find.ts';
import { findOrMakeLabTest } from '../../catalogue/order-sets/find-or-make-lab-test.ts';
import { refuseSeveralMethods, resolveOrderSet } from '../../catalogue/order-sets/resolve.ts';
import type { CollectionMethod } from '../../catalogue/schemas.ts';
import type { OrderPlace } from './schemas.ts';
import { findOrderLab, refuseUnlessConnected, refuseUnlessServed, type OrderLab } from './find-order-lab.ts';

/** Where an order goes: the lab test, its way of collecting, the laboratory with what it takes, the account there. */
export type Destination = {
  lab_test_id: string;
  method: CollectionMethod;
  lab: OrderLab;
  account: LabAccountRow | null;
  markerIds: number[];
};

/**
 * Finds out where an order goes. Throws not_found for whatever is named and unknown, and a code for each way in which what
 * is named does not fit together, or the laboratory does not serve it.
 */
export async function findDestination(ctx: TxCtx<TeamCtx>, input: OrderPlace, state: string): Promise<Destination> {
  const set = input.order_set ?? { lab_test_ids: [input.lab_test_id as string] };
  const lab_account_id = input.lab_account_id ?? set.lab_account_id ?? null;
  const resolved = await resolveOrderSet(ctx, { ...set, lab_account_id });
  const lab = await findOrderLab(ctx, resolved.lab_id);
  refuseUnlessConnected(ctx, lab);
  const method = methodOf(resolved.method, input.collection_method ?? null, lab);
  refuseUnlessServed(lab, state);
  const lab_test_id = await findOrMakeLabTest(ctx, resolved, method);
  return {
    lab_test_id,
    method,
    lab,
    account: resolved.account,
    markerIds: resolved.markerIds,
  };
}

function methodOf(ofTests: CollectionMethod | null, asked: CollectionMethod | null, lab: OrderLab): CollectionMethod {
  const method = asked ?? ofTests;
  if (method === null) {
    throw new AppError(
      'collection_method_required',
      'Markers alone do not say how they are collected: say collection_method.',
    );
  }
  refuseSeveralMethods([ofTests ?? method, method]);
  if (!lab.collection_methods.includes(method)) {
    throw new AppError('collection_method_not_offered', `The laboratory does not take samples by ${method}.`);
  }
  return method;
}
