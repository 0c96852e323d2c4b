import type { TeamCtx, TxCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import type { LabAccountRow } from '../../catalogue/lab-accounts/find.ts';
import { findOrMakeLabTest } from '../../catalogue/order-sets/find-or-make-lab-test.ts';
import { refuseSeveralMethods, resolveOrderSet } from '../../catalogue/order-sets/resolve-order-set.ts';
import type { CollectionMethod } from '../../catalogue/schemas.ts';
import type { DestinationInput } from './schemas.ts';
import { findOrderLab, refuseUnlessConnected, refuseUnlessServed, type OrderLab } from './find-order-lab.ts';

/**
 * The lab test of an order, its collection method, the laboratory with its rules, and the team's account at this
 * laboratory.
 */
export type Destination = {
  lab_test_id: string;
  method: CollectionMethod;
  lab: OrderLab;
  account: LabAccountRow | null;
  markerIds: number[];
};

/**
 * Finds the laboratory, lab test and account to which a new order goes. Throws not_found for an unknown id. If the ids
 * do not fit together, or if the laboratory does not serve the order, it throws an error whose code states the reason.
 */
export async function findDestination(
  ctx: TxCtx<TeamCtx>,
  input: DestinationInput,
  state: string,
): Promise<Destination> {
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
      'Markers alone do not determine how the sample is collected. Send collection_method.',
    );
  }
  refuseSeveralMethods([ofTests ?? method, method]);
  if (!lab.collection_methods.includes(method)) {
    throw new AppError('collection_method_not_offered', `The laboratory does not take samples by ${method}.`);
  }
  return method;
}
