import type { Ctx } from '../../../context.ts';
import { findAppointment } from '../find.ts';
import { withOrder, type OrderOfTeam } from './with-order.ts';

/** What has to be known to call somebody for an order's newest appointment: personal data, for the operator's eyes. */
export async function showByTelephone(ctx: Ctx, place: OrderOfTeam): Promise<{ org_id: string; shown: object }> {
  let shown: object = {};
  const { org_id } = await withOrder(ctx, place, async (tx, { row, labTest }, type) => {
    const {
      id,
      status,
      provider,
      external_id,
      start_at,
      end_at,
      iana_timezone,
      place: where,
      appointment_notes,
    } = await findAppointment(tx, row, type);
    const { first_name, last_name, dob, gender, phone_number, email } = row.patient_details ?? {};
    shown = {
      id,
      status,
      provider,
      external_id,
      start_at,
      end_at,
      iana_timezone,
      place: where,
      appointment_notes,
      patient: { first_name, last_name, dob, gender, phone_number, email },
      lab_test: { name: labTest.name, lab: labTest.lab?.name ?? null, fasting: labTest.fasting },
    };
  });
  return { org_id, shown };
}
