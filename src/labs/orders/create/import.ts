import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { newId } from '../../../ids.ts';
import { findLatestInsuranceOrNull } from '../../../insurance/find-latest.ts';
import { findUser } from '../../../users/find.ts';
import type { LoadedOrder } from '../load.ts';
import type { ImportOrderInput } from './schemas.ts';
import { canonicalSampleId, takeSample } from '../testkit/bind-sample.ts';
import { refuseUnlessBilled } from './billing.ts';
import { insertOrder } from './insert-order.ts';
import { findDestination } from './laboratory.ts';
import { keptPatient, keptPhysician, refusePatient } from './patient.ts';
import { keepSignature } from './signature.ts';

/**
 * Takes over an order that was placed at its laboratory by other means, under the sample id it has there: nothing of it
 * goes out, and its results come here. Billed to insurance, it uses the newest primary record; where there is none it is taken all the same,
 * since its laboratory has it.
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
    const id = newId();
    const sample_id = canonicalSampleId(input.sample_id);
    await takeSample(ctx, sample_id, id);
    const made = await insertOrder(ctx, {
      ...keptPatient(input),
      id,
      sample_id,
      user_id: input.user_id,
      lab_test_id,
      method,
      physician: keptPhysician(input.physician),
      consents: [],
      billing_type,
      lab_account_id: account?.id ?? null,
      health_insurance_id: insurance?.id ?? null,
      statuses: ['ordered', 'requisition_bypassed'],
      isAtLaboratory: true,
    });
    await keepSignature(ctx, made, input.physician);
    return made;
  });
}
