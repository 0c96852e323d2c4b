import type { TeamCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
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

/** Questions of one team to schedulers that are under way in this process; each may take seconds. */
const MOST_AT_ONCE = 4;
const underWay = new Map<string, number>();

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
  const asked = await inTeamsShare(ctx, () => askScheduler(ctx, scheduler.settings, question, SlotsAnswer));
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

/** Outside of the place of its request, and for a few of a team at a time. */
async function inTeamsShare<T>(ctx: TeamCtx, work: () => Promise<T>): Promise<T> {
  const held = underWay.get(ctx.team.id) ?? 0;
  if (held >= MOST_AT_ONCE) {
    throw new AppError('not_ready', 'Too many questions of this team to schedulers are under way. Ask again shortly.');
  }
  underWay.set(ctx.team.id, held + 1);
  try {
    return await (ctx.aside ? ctx.aside(work) : work());
  } finally {
    const left = (underWay.get(ctx.team.id) ?? 1) - 1;
    if (left === 0) underWay.delete(ctx.team.id);
    else underWay.set(ctx.team.id, left);
  }
}
