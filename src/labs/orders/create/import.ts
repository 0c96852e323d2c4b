import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { newIdOf } from '../../../ids.ts';
import { findLatestInsuranceOrNull } from '../../../insurance/find-latest.ts';
import { findUser } from '../../../users/find.ts';
import type { LoadedOrder } from '../load-order.ts';
import type { ImportOrderInput } from './schemas.ts';
import { canonicalSampleId, takeSample } from '../bind-sample.ts';
import { refuseUnlessBilled } from './resolve-billing.ts';
import { insertOrder } from './insert-order.ts';
import { findDestination } from './find-destination.ts';
import { storedPatient, storedPhysician, refusePatient } from './stored-patient.ts';
import { storeSignature } from './physician-signature.ts';

/**
 * Imports an order that somebody has already placed at the laboratory without Phial. The order gets the sample id that
 * the laboratory knows. We do not send this order, and only receive its results. If the order is billed to insurance,
 * it uses the user's newest primary insurance record. If there is no such record, we still import the order, because
 * the laboratory already has it.
 */
export function importOrder(ctx: TeamCtx, input: Static<typeof ImportOrderInput>): Promise<LoadedOrder> {
  return inTransaction(ctx, async (ctx) => {
    await findUser(ctx, input.user_id);
    const { patient_address: home, billing_type } = input;
    const { lab_test_id, method, account } = await findDestination(ctx, input, home.state);
    refusePatient(ctx, input, method);
    refuseUnlessBilled(account, billing_type, home.state);
    const insurance =
      billing_type === 'commercial_insurance' ? await findLatestInsuranceOrNull(ctx, input.user_id, true) : null;
    const id = newIdOf(ctx);
    const sample_id = canonicalSampleId(input.sample_id);
    await takeSample(ctx, sample_id, id);
    const made = await insertOrder(ctx, {
      ...storedPatient(input),
      id,
      sample_id,
      user_id: input.user_id,
      lab_test_id,
      method,
      physician: storedPhysician(input.physician),
      consents: [],
      billing_type,
      lab_account_id: account?.id ?? null,
      health_insurance_id: insurance?.id ?? null,
      statuses: ['ordered', 'requisition_bypassed'],
      isAtLaboratory: true,
    });
    await storeSignature(ctx, made, input.physician);
    return made;
  });
}
