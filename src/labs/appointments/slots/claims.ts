import type { TeamCtx, TxCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import type { Slot } from './booking-key.ts';
import type { LoadedAppointment } from '../sealed.ts';

type Where = { provider: string; place: { code: string } };
type Claimed = Where & { start_at: string };
type Claimant = Pick<LoadedAppointment, 'user_id' | 'order_id' | 'id'>;

/**
 * A slot is known by who books, the place and its beginning. A zip code is part of an address, so a hash stands for it.
 */
const placeHash = ({ cipher, team }: TeamCtx, { provider, place }: Where): Buffer =>
  cipher.lookupHash('appointment_place', team.id, `${provider} ${place.code}`);

/**
 * Gives a slot to an appointment; what that one has already it keeps. Of two that ask at the same moment the second
 * waits for the first one's commit here, and is refused then.
 */
export async function claimSlot(ctx: TxCtx<TeamCtx>, slot: Claimed, appointment: Claimant): Promise<void> {
  const claimed = await ctx.db
    .insertInto('appointment_slots')
    .values({
      team_id: ctx.team.id,
      place_hash: placeHash(ctx, slot),
      start_at: slot.start_at,
      user_id: appointment.user_id,
      order_id: appointment.order_id,
      appointment_id: appointment.id,
    })
    .onConflict((oc) =>
      oc
        .columns(['team_id', 'place_hash', 'start_at'])
        .doUpdateSet({ appointment_id: appointment.id })
        .where('appointment_slots.appointment_id', '=', appointment.id),
    )
    .returning('start_at')
    .executeTakeFirst();
  if (!claimed) throw new AppError('slot_taken', 'This slot has been taken. Ask for the availability again.');
}

/**
 * Gives back what an appointment has claimed but for `kept`. Whoever moves claims first and gives back then: the other
 * way round, two that swap their slots would wait for each other.
 */
export async function freeSlots(
  ctx: TxCtx<TeamCtx>,
  appointment: Claimant,
  kept: Claimed | null = null,
): Promise<void> {
  await ctx.db
    .deleteFrom('appointment_slots')
    .where('user_id', '=', appointment.user_id)
    .where('order_id', '=', appointment.order_id)
    .where('appointment_id', '=', appointment.id)
    .$if(kept !== null, (query) =>
      query.where(({ eb, or }) =>
        or([eb('start_at', '!=', (kept as Claimed).start_at), eb('place_hash', '!=', placeHash(ctx, kept as Claimed))]),
      ),
    )
    .execute();
}

/** The slots among these that nobody of the team has. */
export async function keepFree(ctx: TeamCtx, slots: Slot[]): Promise<Slot[]> {
  const starts = slots.map(({ start_at }) => start_at).toSorted();
  if (starts.length === 0) return [];
  const keyOf = (hash: Buffer, start: string): string => `${hash.toString('hex')} ${start}`;
  const hashes = new Map(slots.map((slot) => [`${slot.provider} ${slot.place.code}`, placeHash(ctx, slot)]));
  const rows = await ctx.db
    .selectFrom('appointment_slots')
    .select(['place_hash', 'start_at'])
    .where('team_id', '=', ctx.team.id)
    .where('place_hash', 'in', [...hashes.values()])
    .where('start_at', '>=', starts[0] as string)
    .where('start_at', '<=', starts.at(-1) as string)
    .execute();
  const taken = new Set(rows.map(({ place_hash, start_at }) => keyOf(place_hash, start_at)));
  return slots.filter(
    (slot) => !taken.has(keyOf(hashes.get(`${slot.provider} ${slot.place.code}`) as Buffer, slot.start_at)),
  );
}
