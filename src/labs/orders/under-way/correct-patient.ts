import { sql } from 'kysely';
import { isDeepStrictEqual } from 'node:util';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError } from '../../../errors.ts';
import { changeOrder } from '../change-order.ts';
import { refuseNewPatient } from '../create/refuse-new-patient.ts';
import {
  refuseMinorWithoutProxy,
  refusePatient,
  shippingOf,
  storedAddress,
  type StoredPatient,
} from '../create/stored-patient.ts';
import { lockOrder, type LoadedOrder } from '../load-order.ts';
import { progressOfOrder } from '../status/order-progress.ts';
import { isBeforeCollection } from '../status/statuses.ts';
import type { PatientCorrection } from './schemas.ts';

type Correction = Static<typeof PatientCorrection>;

/**
 * Corrects the patient of an order before the sample is collected. No event tells of it. Throws registration_required,
 * order_not_changeable, order_sent_to_laboratory, and what a registration refuses about its patient. A correction that
 * changes nothing is never refused.
 */
export function correctPatient(ctx: TeamCtx, orderId: string, correction: Correction): Promise<LoadedOrder> {
  return inTransaction(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    const known = knownPatient(order);
    const corrected = merge(known, correction);
    if (isDeepStrictEqual(corrected, known)) return order;
    await refuseAfterCollection(ctx, order);
    refuseMinorWithoutProxy(corrected);
    refusePatient(ctx, corrected, order.row.method);
    await refuseNewPatient(ctx, order, { ...corrected, physician: order.row.physician, insurance: null });
    return changeOrder(ctx, order, { ...corrected, ...newDestination(order, known, corrected) });
  });
}

function knownPatient({ row: { patient_details, patient_address } }: LoadedOrder): StoredPatient {
  if (patient_details !== null && patient_address !== null) return { patient_details, patient_address };
  throw new AppError(
    'registration_required',
    'Nobody has registered this kit yet. Its registration says who the patient is.',
  );
}

/**
 * Returns the patient after the correction. A field that the correction does not name stays as it is. If the patient
 * receives mail under the old name, the new name takes its place.
 */
function merge(known: StoredPatient, { patient_details: given, patient_address }: Correction): StoredPatient {
  const { receiver_name } = known.patient_address;
  const isToPatient = receiver_name === fullName(known.patient_details);
  const patient_details = { ...known.patient_details, ...given };
  const address = { ...known.patient_address, ...(isToPatient && { receiver_name: fullName(patient_details) }) };
  return {
    patient_details,
    patient_address: storedAddress({ ...address, ...patient_address }),
  };
}

const fullName = ({ first_name, last_name }: StoredPatient['patient_details']): string =>
  `${first_name ?? ''} ${last_name ?? ''}`;

async function refuseAfterCollection(ctx: TxCtx<TeamCtx>, { row }: LoadedOrder): Promise<void> {
  if (!isBeforeCollection(row.method, row.last_low_level_status))
    throw new AppError(
      'order_not_changeable',
      'The patient can be corrected only before the sample is collected. ' +
        `The status of this order is ${row.last_status}.`,
    );
  if (await isSentToLaboratory(ctx, row))
    throw new AppError(
      'order_sent_to_laboratory',
      'The laboratory has this order with the data of its patient, so a correction here would not reach it.',
    );
}

/**
 * Returns whether the laboratory may have a message with this order. The job that sends messages locks the order before
 * it records a message as sent, so the caller's lock keeps the answer true.
 */
async function isSentToLaboratory(ctx: TxCtx<TeamCtx>, { user_id, id }: LoadedOrder['row']): Promise<boolean> {
  const { rows } = await sql`
    select from laboratory_outbox
     where user_id = ${user_id} and order_id = ${id} and action = 'new' and sent_at is not null
       and not (state in ('refused', 'given_up') and answered_at is not null)
     limit 1`.execute(ctx.db);
  return rows.length > 0;
}

/** A kit that is to be sent to the patient's address goes to the corrected one, if it has not left. */
function newDestination(
  order: LoadedOrder,
  known: StoredPatient,
  corrected: StoredPatient,
): Partial<Pick<LoadedOrder['row'], 'shipping_details'>> {
  const isOfPatient = isDeepStrictEqual(order.row.shipping_details, shippingOf(known));
  const hasLeft = order.shipment !== null || progressOfOrder(order).leg !== null;
  return isOfPatient && !hasLeft ? { shipping_details: shippingOf(corrected) } : {};
}
