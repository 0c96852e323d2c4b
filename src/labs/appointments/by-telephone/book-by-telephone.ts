import type { Ctx, TeamCtx } from '../../../context.ts';
import { AppError, notFound } from '../../../errors.ts';
import type { LoadedOrder } from '../../orders/load-order.ts';
import { listBookableCenters } from '../../locations/service-centers.ts';
import { findAreaOrNull } from '../../locations/zip-codes.ts';
import { comesToPatients, type AppointmentProvider } from '../../schedulers/providers.ts';
import { isUnderWay, newestAppointmentOrNull } from '../find.ts';
import { changeAppointment, insertAppointment } from '../change-appointment.ts';
import { moveOrder, refuseUnlessTakes } from '../order-rules.ts';
import type { AppointmentType } from '../schemas.ts';
import type { LoadedAppointment } from '../sealed.ts';
import { siteAt, visitAt, visitTo } from '../slots/availability.ts';
import type { Slot } from '../slots/booking-key.ts';
import { withOrder, type OrderOfTeam } from './with-order.ts';

type ByTelephone = {
  start_at: string;
  end_at: string;
  provider: AppointmentProvider | null;
  site: string | null;
  reference: string | null;
};

/**
 * Records an appointment that the operator has agreed by telephone. If the client has requested a visit for the order,
 * that request becomes this confirmed appointment. Otherwise the function adds an appointment.
 */
export const bookByTelephone = (ctx: Ctx, orderOfTeam: OrderOfTeam, booked: ByTelephone): Promise<{ org_id: string }> =>
  withOrder(ctx, orderOfTeam, async (tx, order, type) => {
    refuseUnlessTakes(order, 'appointment_scheduled');
    const newest = await newestAppointmentOrNull(tx, order.row);
    const asked = newest && isUnderWay(newest) ? newest : null;
    if (asked && (asked.booked_by !== 'operator' || asked.status !== 'pending'))
      throw new AppError('appointment_already_booked', `This order already has an appointment: it is ${asked.status}.`);
    const slot = await slotFor(tx, order, type, { asked, booked });
    const appointment = asked
      ? await changeAppointment(tx, order, asked, { status: 'confirmed', slot, ...referenceOf(booked) })
      : await insertAppointment(tx, order, { ...slot, slot, booked_by: 'operator', status: 'confirmed', notes: null });
    if (!asked && booked.reference !== null)
      await changeAppointment(tx, order, appointment, { status: 'confirmed', ...referenceOf(booked) });
    await moveOrder(tx, { ...order, appointment_id: appointment.id }, 'appointment_scheduled');
  });

const referenceOf = ({ reference }: ByTelephone): { external_id?: string } =>
  reference === null ? {} : { external_id: reference };

type AppointmentRequest = { asked: LoadedAppointment | null; booked: ByTelephone };

async function slotFor(
  ctx: TeamCtx,
  order: LoadedOrder,
  type: AppointmentType,
  wanted: AppointmentRequest,
): Promise<Slot> {
  const { asked, booked } = wanted;
  const { start_at, end_at } = booked;
  const offer =
    type === 'phlebotomy' ? await visitOf(ctx, order, wanted) : await centerOf(ctx, order, asked?.site.code, booked);
  return { ...offer, by: 'scheduler', start_at, end_at };
}

/**
 * Returns the site and the provider of the visit. If the client has requested a visit, the site is the address in the
 * request. Otherwise it is the patient's address.
 */
async function visitOf(
  ctx: TeamCtx,
  { row }: LoadedOrder,
  { asked, booked: { provider = null } }: AppointmentRequest,
): Promise<Omit<Slot, 'start_at' | 'end_at'>> {
  const by = provider ?? asked?.provider ?? 'getlabs';
  if (!comesToPatients(by)) throw new AppError('order_method_mismatch', `${by} does not visit patients.`);
  const address = row.patient_address;
  const zip = asked?.site.code ?? address?.zip;
  const area = zip === undefined ? null : await findAreaOrNull(ctx, zip);
  if (!area)
    throw new AppError('patient_address_missing', 'The service does not know where the patient of this order lives.');
  if (asked) return visitTo(asked.site, area, by);
  const { first_line, second_line, city, state, access_notes } = address as NonNullable<typeof address>;
  const home = { first_line, second_line, city, state, zip_code: zip as string, ...(access_notes && { access_notes }) };
  return visitTo(siteAt(home, area), area, by);
}

async function centerOf(
  ctx: TeamCtx,
  { lab }: LoadedOrder,
  known: string | undefined,
  { provider, site }: ByTelephone,
): Promise<Omit<Slot, 'start_at' | 'end_at'>> {
  const code = site ?? known;
  if (code === undefined || provider === null || comesToPatients(provider))
    throw new AppError(
      'patient_address_missing',
      'Name the service center with --site, and quest or sonora_quest with --provider.',
    );
  const [center] = await listBookableCenters(ctx, {
    provider: null,
    lab_id: lab.id,
    site_codes: [code],
    radius: 0,
    most: 1,
  });
  if (!center) throw notFound(`Service center ${code} of this laboratory was`);
  return visitAt(center, provider);
}
