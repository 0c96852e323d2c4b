import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { findUser } from '../../../users/find.ts';
import { questionsOf } from '../../catalogue/questions.ts';
import type { LoadedOrder } from '../load-order.ts';
import { preFlight, refuseUnlessAccepted } from '../pre-flight.ts';
import type { CreateOrderInput } from './schemas.ts';
import { requisitionStatus } from '../send-out.ts';
import { waitsForDay } from '../waits-for-day.ts';
import { checkAnswers } from './check-answers.ts';
import { refuseUnlessBilled, resolveBilling } from './resolve-billing.ts';
import { insertOrder } from './insert-order.ts';
import { findDestination } from './find-destination.ts';
import { refusePatient, shippingOf, storedConsents, storedPatient, storedPhysician } from './stored-patient.ts';
import { storeSignature } from './physician-signature.ts';

type Input = Static<typeof CreateOrderInput>;

/** Creates an order for a known patient. It becomes active at once, or on the day in activate_by. */
export function createOrder(ctx: TeamCtx, input: Input): Promise<LoadedOrder> {
  return inTransaction(ctx, async (ctx) => {
    await findUser(ctx, input.user_id);
    const { patient_address: home, billing_type } = input;
    const { lab_test_id, method, lab, account, markerIds } = await findDestination(ctx, input, home.state);
    refusePatient(ctx, input, method);
    refuseUnlessBilled(account, billing_type, home.state);
    const answers = checkAnswers(await questionsOf(ctx, markerIds), input.aoe_answers ?? []);
    const { insurance, icd_codes } = await resolveBilling(ctx, input);
    const order = {
      ...storedPatient(input),
      physician: storedPhysician(input.physician),
      consents: storedConsents(input.consents),
      clinical_notes: input.clinical_notes ?? account?.default_clinical_notes ?? null,
      billing_type,
    };
    refuseUnlessAccepted(
      preFlight({ ...order, icd_codes, insurance, account: account?.provider_account_id ?? null }, lab.order_rules),
    );
    const waits = await waitsForDay(ctx, input.activate_by ?? null);
    const made = await insertOrder(ctx, {
      ...order,
      user_id: input.user_id,
      lab_test_id,
      method,
      shipping_details: method === 'testkit' ? shippingOf(storedPatient(input)) : null,
      icd_codes,
      aoe_answers: answers.length === 0 ? null : answers,
      passthrough: input.passthrough ?? null,
      health_insurance_id: insurance?.id ?? null,
      lab_account_id: account?.id ?? null,
      priority: input.priority,
      activate_by: input.activate_by ?? null,
      statuses: waits ? ['ordered'] : ['ordered', requisitionStatus(lab.connection)],
    });
    await storeSignature(ctx, made, input.physician);
    return made;
  });
}
