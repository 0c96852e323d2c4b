import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError } from '../../../errors.ts';
import { canonicalCodes } from '../../../insurance/diagnoses/check.ts';
import { findUser } from '../../../users/find.ts';
import { changeOrder } from '../change-order.ts';
import { lockOrder, type LoadedOrder } from '../load-order.ts';
import { refuseNewPatient } from '../create/refuse-new-patient.ts';
import { storeInsurance, storedConsents, storedPatient, refuseMinorWithoutSetting } from '../create/stored-patient.ts';
import type { RegisterTestkitInput } from '../schemas.ts';
import { requisitionStatus } from '../send-out.ts';
import { appendOrderEvents } from '../status/append-events.ts';
import { isOpen, type LowLevelStatus } from '../status/statuses.ts';
import {
  alreadyRegistered,
  bindSample,
  canonicalSampleId,
  findSampleOrNull,
  refuseUnknownSample,
} from '../bind-sample.ts';
import { findOrMakeWaitingOrder } from './find-waiting-order.ts';
import { moveToUser } from './move-to-user.ts';
import { addScansJob } from './tracking-numbers.ts';

type Input = Static<typeof RegisterTestkitInput>;

/**
 * Registers a kit: stores its patient in an order. This is the order that has the sample id, or else an order of the
 * user that waits for a kit, or else a new order.
 */
export function registerTestkit(ctx: TeamCtx, input: Input): Promise<LoadedOrder> {
  return inTransaction(ctx, async (ctx) => {
    const user = input.user_id ? await findUser(ctx, input.user_id) : null;
    const order = await orderToRegister(ctx, input, user);
    const repeated = order.row.patient_details !== null;
    refuseMinorWithoutSetting(ctx, input.patient_details.dob);
    const registered = await storeRegistration(ctx, order, input);
    // A registration that repeats an earlier one changes the details of the order but publishes no event.
    if (repeated) return registered;
    const appended = await appendOrderEvents(ctx, registered, [
      { status: requisitionStatus(order.lab.connection) },
      { status: 'testkit_registered' },
    ]);
    // A kit may be on its way back before its user registers it. Then carriers have already reported scans of its
    // parcel.
    if (order.shipment) await addScansJob(ctx, appended.row);
    return appended;
  });
}

async function orderToRegister(
  ctx: TxCtx<TeamCtx>,
  input: Input,
  user: LoadedOrder['user'] | null,
): Promise<LoadedOrder> {
  const sampleId = canonicalSampleId(input.sample_id);
  const sample = await findSampleOrNull(ctx, sampleId);
  if (sample?.order_id) return orderOfSample(ctx, sample.order_id, user);
  if (!sample) await refuseUnknownSample(ctx, sampleId, user !== null);
  if (user === null) throw new AppError('sample_not_found', 'No order has this kit. Name its user in user_id.');
  const order = await findOrMakeWaitingOrder(ctx, user, input.lab_test_id ?? null);
  return bindSample(ctx, order, sampleId);
}

async function orderOfSample(
  ctx: TxCtx<TeamCtx>,
  orderId: string,
  user: LoadedOrder['user'] | null,
): Promise<LoadedOrder> {
  const order = await lockOrder(ctx, orderId);
  const { row } = order;
  const another = user !== null && user.id !== row.user_id;
  if (another && row.patient_details !== null) throw alreadyRegistered();
  if (!isOpen(row.last_low_level_status)) {
    throw new AppError(
      'order_not_changeable',
      `The order of this kit has ended (${row.last_low_level_status}), so the kit cannot be registered.`,
    );
  }
  return another ? moveToUser(ctx, order, user) : order;
}

/** The statuses after the patient has sent the sample back: it is on its way to the laboratory, or there. */
const SAMPLE_TAKEN: ReadonlySet<LowLevelStatus> = new Set([
  'transit_lab',
  'problem_in_transit_lab',
  'delivered_to_lab',
  'lab_processing_blocked',
]);
const IDENTITY = ['first_name', 'last_name', 'dob', 'gender'] as const;

/**
 * Throws order_not_changeable if a registration would name another patient after the sample was sent back. The result
 * would then go to a person who did not give the sample.
 */
function refuseAnotherPatient({ row }: LoadedOrder, { patient_details: given }: Input): void {
  const known = row.patient_details;
  if (known === null || !SAMPLE_TAKEN.has(row.last_low_level_status)) return;
  if (IDENTITY.every((name) => known[name] === given[name])) return;
  throw new AppError(
    'order_not_changeable',
    'The sample is on its way to its laboratory or there. The name, date of birth and gender of its ' +
      'patient cannot change.',
  );
}

/**
 * Stores the data of a registration. A field that is missing in the registration does not change, and null clears a
 * field.
 */
async function storeRegistration(ctx: TxCtx<TeamCtx>, order: LoadedOrder, input: Input): Promise<LoadedOrder> {
  const { physician, consents, health_insurance: brought } = input;
  refuseAnotherPatient(order, input);
  const patient = storedPatient(input);
  const insurance = brought ? await storeInsurance(ctx, order.row.user_id, brought, input) : null;
  const signed = physician === undefined ? order.row.physician : physician;
  await refuseNewPatient(ctx, order, { ...patient, physician: signed, insurance });
  return changeOrder(ctx, order, {
    ...patient,
    ...(physician !== undefined && { physician }),
    ...(insurance && {
      health_insurance_id: insurance.id,
      ...(brought?.diagnosis_codes && { icd_codes: canonicalCodes(brought.diagnosis_codes) }),
    }),
    ...((consents !== undefined || order.row.consents === null) && { consents: storedConsents(consents) }),
  });
}
