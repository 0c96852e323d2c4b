import type { TeamCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { FairShare } from '../../../fair/fair-share.ts';
import { ownerOf } from '../../../fair/round-robin.ts';
import { newId } from '../../../ids.ts';
import { askScheduler } from '../../schedulers/ask-scheduler.ts';
import type { Scheduler } from '../../schedulers/find-schedulers.ts';
import { momentOrNull, SlotsAnswer } from '../../schedulers/messages.ts';
import type { Slot } from './booking-key.ts';
import { daysFrom } from './simulated-scheduler.ts';

/** A slot, and what its scheduler says of it beside its time. */
export type OfferedSlot = { slot: Slot; price: number; available: number };

type Offer = Omit<Slot, 'start_at' | 'end_at'>;
type Connected = Exclude<Scheduler, { by: 'simulated' }>;

/** Questions to schedulers that a process has under way; each may take seconds. */
const questions = new FairShare({
  permits: 16,
  mostOfOrg: 8,
  mostOfTeam: 4,
  mostWaiting: 4,
  refuse: () =>
    new AppError('not_ready', 'Too many questions of this team to schedulers are under way. Ask again shortly.'),
});

/** What a connected scheduler offers in a week; null where it gives no answer, and nothing where it refuses. */
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
      ? { address: addressOf(first.place) }
      : { sites: offers.map(({ place: { code } }) => ({ site_code: code })) };
  const body = { type: first.type, ...where, from: days[0], to: days.at(-1), time_zone: first.iana_timezone };
  const question = { path: 'availability', body, id: newId() };
  const asked = await inTurn(ctx, () => askScheduler(ctx, scheduler.settings, question, SlotsAnswer));
  if (asked.outcome === 'refused') return [];
  if (asked.outcome === 'no_answer') {
    ctx.log.warn({ provider: first.provider, reason: asked.code }, 'a scheduler did not tell its times');
    return null;
  }
  return asked.answer.slots.flatMap((told) => readSlot(told, offers) ?? []);
}

/** A scheduler needs no words on where the key lies before somebody books. */
const addressOf = ({ address: { access_notes: _, unit: __, ...address } }: Slot['place']): object => address;

function readSlot(told: SlotsAnswer['slots'][number], offers: Offer[]): OfferedSlot | null {
  const [start_at, end_at] = [momentOrNull(told.start), momentOrNull(told.end)];
  const offer = offers.find(({ type, place }) => type === 'phlebotomy' || place.code === told.site_code);
  const available = told.available ?? 1;
  if (!offer || start_at === null || end_at === null || end_at <= start_at || available === 0) return null;
  if (Date.parse(start_at) <= Date.now()) return null;
  return { slot: { ...offer, slot_id: told.slot_id, start_at, end_at }, price: told.price ?? 0, available };
}

/** Outside of the place of its request, when the team's turn comes. */
function inTurn<T>(ctx: TeamCtx, work: () => Promise<T>): Promise<T> {
  const ask = (): Promise<T> => questions.run(ownerOf(ctx.team), work);
  return ctx.aside ? ctx.aside(ask) : ask();
}
