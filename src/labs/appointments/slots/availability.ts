import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { listBookableCenters, listWhoBooks, type BookableCenter } from '../../locations/service-centers.ts';
import { findAreaOrNull, type Area } from '../../locations/zip-codes.ts';
import {
  bookingAtCenters,
  findSchedulerOrNull,
  refuseWithoutScheduler,
  whoComesTo,
} from '../../schedulers/find-schedulers.ts';
import type { AppointmentProvider } from '../../schedulers/providers.ts';
import { expiryOf, sealBookingKey, type Slot } from './booking-key.ts';
import type { Availability, CenterAvailabilityQuery, UsAddressInput } from '../schemas.ts';
import type { Site } from '../sealed.ts';
import { daysFrom, isInTime, slotsOfDay } from './simulated-scheduler.ts';
import { withoutTaken } from './claims.ts';
import { askForSlots, type OfferedSlot } from './connected-slots.ts';
import { localDay } from './time-zones.ts';

const MAX_CENTERS = 5;
type Address = Static<typeof UsAddressInput>;
/** A provider at a site. Together with a time, it is an appointment slot. */
export type Offer = Omit<Slot, 'start_at' | 'end_at'>;

/**
 * Returns the simulated scheduler's free slots for these offers, from `startDate` on. It omits slots that begin too
 * soon to be booked.
 */
export const freeSlotsOf = (ctx: TeamCtx, offers: Offer[], startDate: string | undefined): Promise<Slot[]> => {
  const now = Date.now();
  const slots = offers.flatMap((offer) =>
    daysFrom(startDate, offer.iana_timezone, now).flatMap((date) => slotsOfDay(offer, date)),
  );
  return withoutTaken(
    ctx,
    slots.filter((slot) => isInTime(slot, now)),
  );
};

/** Returns the slots in which a provider can visit an address. It asks all providers that visit this address. */
export async function phlebotomyAvailability(
  ctx: TeamCtx,
  address: Address,
  startDate: string | undefined,
): Promise<Availability> {
  await refuseWithoutScheduler(ctx, 'phlebotomy');
  const area = await findAreaOrNull(ctx, address.zip_code);
  const all = area ? await whoComesTo(ctx, area.state) : [];
  const comes = all.filter(({ service_types }) => service_types.includes('appointment-ready'));
  if (!area || comes.length === 0) throw nobodyComes(all);
  const offers = comes.map(({ name, scheduler }) => ({
    scheduler,
    offers: [visitTo(siteAt(address, area), area, name, scheduler.by === 'simulated' ? 'simulated' : 'scheduler')],
  }));
  const free = await slotsOffered(ctx, offers, startDate);
  const slots = byDay(ctx, free).map((day) => ({ location: null, ...day }));
  return { slots, timezone: area.iana_timezone };
}

/** Returns the free appointment slots of the named service centers, or of the centers nearest to the zip code. */
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
  await refuseWithoutScheduler(ctx, 'patient_service_center');
  const scheduler = await findSchedulerOrNull(ctx, lab);
  const centers = scheduler
    ? await listBookableCenters(ctx, { provider: lab, site_codes, zip_code, radius, most: MAX_CENTERS })
    : [];
  const [first] = centers;
  if (!first || !scheduler) throw await booksAtNone(ctx, lab, { site_codes, zip_code, radius });
  const by = scheduler.by === 'simulated' ? 'simulated' : 'scheduler';
  const offers = centers.map((center) => visitAt(center, lab as AppointmentProvider, by));
  const free = await slotsOffered(ctx, [{ scheduler, offers }], start_date);
  const slots = centers.flatMap((center) => {
    const { name, address, location, code } = siteOfCenter(center);
    const distance = center.miles === null ? null : Math.round(center.miles);
    const shown = { location, distance, address, code, name: name ?? code, iana_timezone: center.iana_timezone };
    const here = free.filter(({ slot: { site, lab_id } }) => site.code === code && lab_id === center.lab_id);
    return byDay(ctx, here).map((day) => ({ location: shown, ...day }));
  });
  return { slots, timezone: first.iana_timezone };
}

/**
 * Returns the error for a laboratory that takes no appointments at these service centers. Its message names the
 * laboratories that do.
 */
async function booksAtNone(ctx: TeamCtx, lab: string, asked: Parameters<typeof listWhoBooks>[1]): Promise<AppError> {
  const connected: readonly string[] = await bookingAtCenters(ctx);
  const others = (await listWhoBooks(ctx, asked)).filter((name) => name !== lab && connected.includes(name));
  const where =
    asked.zip_code === undefined
      ? 'none of these service centers'
      : `no service center within ${asked.radius} miles of this zip code`;
  const instead =
    others.length === 0
      ? 'No laboratory books there through this service.'
      : `These laboratories do: ${others.join(', ')}.`;
  return new AppError('not_found', `This laboratory books appointments at ${where}. ${instead}`);
}

type Offers = { scheduler: Parameters<typeof askForSlots>[1] | { by: 'simulated' }; offers: Offer[] };

/**
 * Returns the slots of all schedulers. If only some schedulers fail to respond, it returns the slots of the others.
 * Throws scheduler_unavailable if no scheduler responds.
 */
async function slotsOffered(ctx: TeamCtx, all: Offers[], startDate: string | undefined): Promise<OfferedSlot[]> {
  const answers = await Promise.all(
    all.map(async ({ scheduler, offers }) => {
      if (scheduler.by === 'simulated')
        return (await freeSlotsOf(ctx, offers, startDate)).map((slot) => ({ slot, price: 0, available: 1 }));
      return askForSlots(ctx, scheduler, offers, startDate);
    }),
  );
  const heard = answers.filter((answer) => answer !== null);
  if (heard.length === 0) {
    throw new AppError('scheduler_unavailable', 'The scheduler gave no answer. Ask again shortly.', {
      retryAfterSeconds: 5,
    });
  }
  return heard.flat();
}

/**
 * Finds the area of an address and its time zone. Throws if the provider does not offer visits by appointment request
 * at this address.
 */
export async function resolveAddress(
  ctx: TeamCtx,
  address: Address,
  provider: AppointmentProvider,
): Promise<{ area: Area; site: Site }> {
  const area = await findAreaOrNull(ctx, address.zip_code);
  const all = area ? await whoComesTo(ctx, area.state) : [];
  const comes = all.some(
    ({ name, service_types }) => name === provider && service_types.includes('appointment-request'),
  );
  if (!area || !comes) throw nobodyComes(all);
  return { area, site: siteAt(address, area) };
}

type Comes = Awaited<ReturnType<typeof whoComesTo>>;

/**
 * Returns the error for an address that no suitable provider visits. Its message names the providers that serve the
 * address in another way.
 */
function nobodyComes(all: Comes): AppError {
  const others = all.map(({ name, service_types }) => `${name} (${service_types.join(', ')})`);
  const instead = others.length === 0 ? 'No provider comes there.' : `These providers come: ${others.join(', ')}.`;
  return new AppError(
    'area_not_served',
    `No provider that can be booked in this way comes there. ${instead} See GET /v3/order/area/info.`,
  );
}

export function siteAt(address: Address, area: Pick<Area, 'lat' | 'lng'>): Site {
  const { first_line, second_line = null, city, state, zip_code, unit = null, access_notes = null } = address;
  return {
    code: zip_code.slice(0, 5),
    name: null,
    address: { first_line, second_line, city, state, zip_code, unit, access_notes },
    location: { lng: area.lng, lat: area.lat },
  };
}

export const visitTo = (
  site: Site,
  area: Area,
  provider: AppointmentProvider,
  by: Offer['by'] = 'simulated',
): Offer => ({
  type: 'phlebotomy',
  provider,
  by,
  slot_id: null,
  site,
  lab_id: null,
  iana_timezone: area.iana_timezone,
});

export const visitAt = (
  center: BookableCenter,
  provider: AppointmentProvider,
  by: Offer['by'] = 'simulated',
): Offer => ({
  type: 'patient_service_center',
  provider,
  by,
  slot_id: null,
  site: siteOfCenter(center),
  lab_id: center.lab_id,
  iana_timezone: center.iana_timezone,
});

function siteOfCenter({ site_code, name, lng, lat, ...center }: BookableCenter): Site {
  const { first_line, second_line, city, state, zip_code } = center;
  const address = { first_line, second_line, city, state, zip_code, unit: null, access_notes: null };
  return { code: site_code, name, address, location: { lng, lat } };
}

type Day = Omit<Availability['slots'][number], 'location'>;

/** Groups slots by their day in local time. Each slot comes with the booking key with which a client books it. */
function byDay(ctx: TeamCtx, offered: OfferedSlot[]): Day[] {
  const now = Date.now();
  const days = new Map<string, Day>();
  for (const { slot, price, available } of offered) {
    const date = localDay(Date.parse(slot.start_at), slot.iana_timezone);
    const day = days.get(date) ?? { date, slots: [] };
    days.set(date, day);
    const expires_at = expiryOf(slot, now);
    day.slots.push({
      booking_key: sealBookingKey(ctx, slot, expires_at),
      start: slot.start_at,
      end: slot.end_at,
      expires_at,
      price,
      is_priority: false,
      num_appointments_available: available,
    });
  }
  return [...days.values()];
}
