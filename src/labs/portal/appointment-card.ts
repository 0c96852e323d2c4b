import type { TeamCtx } from '../../context.ts';
import { isUnderWay, newestAppointmentOrNull } from '../appointments/find.ts';
import type { LoadedAppointment } from '../appointments/sealed.ts';
import { addressInWords } from '../documents/values-in-words.ts';
import type { LoadedOrder } from '../orders/load-order.ts';
import { card, paragraph } from './page-parts.ts';

/**
 * Returns the time and the location of an order's appointment as HTML; an empty text if no appointment is under way. It
 * omits a home address, because the patient knows it.
 */
export async function appointmentCard(ctx: TeamCtx, { row, appointment_id }: LoadedOrder): Promise<string> {
  if (appointment_id === null) return '';
  const appointment = await newestAppointmentOrNull(ctx, row);
  if (!appointment || !isUnderWay(appointment)) return '';
  const isConfirmed = appointment.status === 'confirmed' || appointment.status === 'in_progress';
  return card(
    'When and where',
    paragraph(whenOf(appointment)),
    ...locationLinesOf(appointment).map(paragraph),
    isConfirmed ? '' : paragraph('It is not confirmed yet.'),
  );
}

/** Returns the time in words, in the local time of the appointment, with the name of the zone. */
function whenOf({ start_at, end_at, iana_timezone: timeZone }: LoadedAppointment): string {
  if (start_at === null) return 'The time is not set yet.';
  const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeZone });
  const clock = { hour: 'numeric', minute: '2-digit', timeZone } as const;
  const time = (moment: string, more: Intl.DateTimeFormatOptions = {}): string =>
    new Intl.DateTimeFormat('en-US', { ...clock, ...more }).format(new Date(moment));
  const zone = { timeZoneName: 'short' } as const;
  const times = end_at === null ? `at ${time(start_at, zone)}` : `between ${time(start_at)} and ${time(end_at, zone)}`;
  return `${day.format(new Date(start_at))}, ${times}`;
}

function locationLinesOf({ type, site }: LoadedAppointment): string[] {
  if (type === 'phlebotomy') return ['At the address that you gave.'];
  const { zip_code: zip, ...address } = site.address;
  return [...(site.name === null ? [] : [site.name]), addressInWords({ ...address, zip })];
}
