import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { AppError, notFound } from '../../../errors.ts';
import { phlebotomyIn } from '../../places/area.ts';
import type { AppointmentProvider } from '../../places/schemas.ts';
import { listBookableCenters, type BookableCenter } from '../../places/service-centers.ts';
import { findAreaOrNull, type Area } from '../../places/zip-codes.ts';
import { expiryOf, sealBookingKey, type Slot } from './booking-key.ts';
import type { Availability, CenterAvailabilityQuery, UsAddressInput } from '../schemas.ts';
import type { Place } from '../sealed.ts';
import { daysFrom, isInTime, refuseWithoutScheduler, slotsOfDay } from './simulated-scheduler.ts';
import { keepFree } from './claims.ts';
import { localDay } from './wall-clock.ts';

const MOST_CENTERS = 5;
type Address = Static<typeof UsAddressInput>;
export type Offer = Omit<Slot, 'start_at' | 'end_at'>;

/** The free slots of an offer on those days that can still be booked in time. */
export const freeSlotsOf = (ctx: TeamCtx, offers: Offer[], startDate: string | undefined): Promise<Slot[]> => {
  const now = Date.now();
  const slots = offers.flatMap((offer) =>
    daysFrom(startDate, offer.iana_timezone, now).flatMap((date) => slotsOfDay(offer, date)),
  );
  return keepFree(
    ctx,
    slots.filter((slot) => isInTime(slot, now)),
  );
};

/** When somebody can come to an address. */
export async function phlebotomyAvailability(
  ctx: TeamCtx,
  address: Address,
  startDate: string | undefined,
): Promise<Availability> {
  refuseWithoutScheduler(ctx);
  const { area, place } = await placeOfAddress(ctx, address, 'getlabs');
  const offer = visitTo(place, area, 'getlabs');
  const days = byDay(ctx, await freeSlotsOf(ctx, [offer], startDate));
  return { slots: days.map((day) => ({ location: null, ...day })), timezone: area.iana_timezone };
}

/** When there is room at service centers: at those named, or the nearest. */
export async function centerAvailability(
  ctx: TeamCtx,
  {
    lab,
    start_date,
    site_codes,
    zip_code,
    radius,
  }: Omit<Static<typeof CenterAvailabilityQuery>, 'radius'> & { radius: number },
): Promise<Availability> {
  refuseWithoutScheduler(ctx);
  const centers = await listBookableCenters(ctx, { provider: lab, site_codes, zip_code, radius, most: MOST_CENTERS });
  const [first] = centers;
  if (!first) throw notFound('A service center where this laboratory books appointments was');
  const free = await freeSlotsOf(
    ctx,
    centers.map((center) => visitAt(center, lab as AppointmentProvider)),
    start_date,
  );
  const slots = centers.flatMap((center) => {
    const { name, address, location, code } = placeOfCenter(center);
    const distance = center.miles === null ? null : Math.round(center.miles);
    const shown = { location, distance, address, code, name: name ?? code, iana_timezone: center.iana_timezone };
    const here = free.filter(({ place, lab_id }) => place.code === code && lab_id === center.lab_id);
    return byDay(ctx, here).map((day) => ({ location: shown, ...day }));
  });
  return { slots, timezone: first.iana_timezone };
}

/** Where an address is; refuses one to which the provider does not come. */
export async function placeOfAddress(
  ctx: TeamCtx,
  address: Address,
  provider: AppointmentProvider,
): Promise<{ area: Area; place: Place }> {
  const area = await findAreaOrNull(ctx, address.zip_code);
  const comes = phlebotomyIn(ctx, area).providers.some(({ name }) => name === provider);
  if (!area || !comes) {
    throw new AppError('area_not_served', `${provider} does not come there: see GET /v3/order/area/info.`);
  }
  const { first_line, second_line = null, city, state, zip_code, unit = null, access_notes = null } = address;
  return {
    area,
    place: {
      code: zip_code.slice(0, 5),
      name: null,
      address: { first_line, second_line, city, state, zip_code, unit, access_notes },
      location: { lng: area.lng, lat: area.lat },
    },
  };
}

export const visitTo = (place: Place, area: Area, provider: AppointmentProvider): Offer => ({
  type: 'phlebotomy',
  provider,
  place,
  lab_id: null,
  iana_timezone: area.iana_timezone,
});

export const visitAt = (center: BookableCenter, provider: AppointmentProvider): Offer => ({
  type: 'patient_service_center',
  provider,
  place: placeOfCenter(center),
  lab_id: center.lab_id,
  iana_timezone: center.iana_timezone,
});

function placeOfCenter({ site_code, name, lng, lat, ...center }: BookableCenter): Place {
  const { first_line, second_line, city, state, zip_code } = center;
  const address = { first_line, second_line, city, state, zip_code, unit: null, access_notes: null };
  return { code: site_code, name, address, location: { lng, lat } };
}

type Day = Omit<Availability['slots'][number], 'location'>;

/** By the day that it is at the place; each with the key that books it. */
function byDay(ctx: TeamCtx, slots: Slot[]): Day[] {
  const now = Date.now();
  const days = new Map<string, Day>();
  for (const slot of slots) {
    const date = localDay(Date.parse(slot.start_at), slot.iana_timezone);
    const day = days.get(date) ?? { date, slots: [] };
    days.set(date, day);
    const expires_at = expiryOf(slot, now);
    day.slots.push({
      booking_key: sealBookingKey(ctx, slot, expires_at),
      start: slot.start_at,
      end: slot.end_at,
      expires_at,
      price: 0,
      is_priority: false,
      num_appointments_available: 1,
    });
  }
  return [...days.values()];
}
