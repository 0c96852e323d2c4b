import type { Ctx } from '../../../context.ts';
import { findAppointment } from '../find.ts';
import { withOrder, type OrderOfTeam } from './with-order.ts';

/** Returns the data that the operator needs for a call about an order's newest appointment. It is personal data. */
export async function showByTelephone(ctx: Ctx, orderOfTeam: OrderOfTeam): Promise<{ org_id: string; shown: object }> {
  let shown: object = {};
  const { org_id } = await withOrder(ctx, orderOfTeam, async (tx, { row, labTest }, type) => {
    const {
      id,
      status,
      provider,
      external_id,
      start_at,
      end_at,
      iana_timezone,
      site: where,
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
      site: where,
      appointment_notes,
      patient: { first_name, last_name, dob, gender, phone_number, email },
      lab_test: { name: labTest.name, lab: labTest.lab?.name ?? null, fasting: labTest.fasting },
    };
  });
  return { org_id, shown };
}
