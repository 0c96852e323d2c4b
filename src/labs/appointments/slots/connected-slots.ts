import type { TeamCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { FairShare } from '../../../fair/fair-share.ts';
import { ownerOf } from '../../../fair/round-robin.ts';
import { newId } from '../../../ids.ts';
import { askScheduler } from '../../schedulers/ask-scheduler.ts';
import type { Scheduler } from '../../schedulers/find-schedulers.ts';
import { momentOrNull, SlotsResponse } from '../../schedulers/scheduler-messages.ts';
import type { Slot } from './booking-key.ts';
import { daysFrom } from './simulated-scheduler.ts';

/** A slot with its price and with the number of appointments that the scheduler can still book in it. */
export type OfferedSlot = { slot: Slot; price: number; available: number };

type Offer = Omit<Slot, 'start_at' | 'end_at'>;
type Connected = Exclude<Scheduler, { by: 'simulated' }>;

/** Limits the requests to schedulers that this process sends at the same time, because each may take seconds. */
const questions = new FairShare({
  permits: 16,
  maxOfOrg: 8,
  maxOfTeam: 4,
  maxWaiting: 4,
  refuse: () =>
    new AppError('not_ready', 'Too many questions of this team to schedulers are under way. Ask again shortly.'),
});

/**
 * Returns the slots that a connected scheduler offers in a week. Returns null if the scheduler does not respond, and an
 * empty list if it refuses.
 */
export async function askForSlots(
  ctx: TeamCtx,
  scheduler: Connected,
  offers: Offer[],
  startDate: string | undefined,
): Promise<OfferedSlot[] | null> {
  const [first] = offers;
  if (!first || scheduler.by !== 'scheduler') return [];
  const days = daysFrom(startDate, first.iana_timezone, Date.now());
  const where =
    first.type === 'phlebotomy'
      ? { address: addressOf(first.site) }
      : { sites: offers.map(({ site: { code } }) => ({ site_code: code })) };
  const body = { type: first.type, ...where, from: days[0], to: days.at(-1), time_zone: first.iana_timezone };
  const question = { path: 'availability', body, id: newId() };
  const asked = await runInRoundRobin(ctx, () => askScheduler(ctx, scheduler.settings, question, SlotsResponse));
  if (asked.outcome === 'refused') return [];
  if (asked.outcome === 'no_answer') {
    ctx.log.warn({ provider: first.provider, reason: asked.code }, 'a scheduler did not list its slots');
    return null;
  }
  return asked.response.slots.flatMap((answered) => readSlot(answered, offers) ?? []);
}

/** Returns the address without access notes, such as a gate code. A scheduler needs those only when somebody books. */
const addressOf = ({ address: { access_notes: _, unit: __, ...address } }: Slot['site']): object => address;

function readSlot(answered: SlotsResponse['slots'][number], offers: Offer[]): OfferedSlot | null {
  const [start_at, end_at] = [momentOrNull(answered.start), momentOrNull(answered.end)];
  const offer = offers.find(({ type, site }) => type === 'phlebotomy' || site.code === answered.site_code);
  const available = answered.available ?? 1;
  if (!offer || start_at === null || end_at === null || end_at <= start_at || available === 0) return null;
  if (Date.parse(start_at) <= Date.now()) return null;
  return { slot: { ...offer, slot_id: answered.slot_id, start_at, end_at }, price: answered.price ?? 0, available };
}

/**
 * Runs `work`, a request to a scheduler, when the team's share of such requests allows it. Until the scheduler
 * responds, the client's HTTP request gives its own permit (its right to be handled) to other requests.
 */
function runInRoundRobin<T>(ctx: TeamCtx, work: () => Promise<T>): Promise<T> {
  const ask = (): Promise<T> => questions.run(ownerOf(ctx.team), work);
  return ctx.aside ? ctx.aside(ask) : ask();
}
