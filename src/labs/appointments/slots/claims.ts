import type { TeamCtx, TxCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import type { Slot } from './booking-key.ts';
import type { LoadedAppointment } from '../sealed.ts';

type SlotSite = { provider: string; site: { code: string } };
type ClaimedSlot = SlotSite & { start_at: string };
type Claimant = Pick<LoadedAppointment, 'user_id' | 'order_id' | 'id'>;

/**
 * Provider, site and start identify a slot. The zip code of a site is part of a patient's address, so we store only a
 * keyed hash of the site.
 */
const siteHash = ({ cipher, team }: TeamCtx, { provider, site }: SlotSite): Buffer =>
  cipher.lookupHash('appointment_place', team.id, `${provider} ${site.code}`);

/**
 * Claims a slot for an appointment, so that no other appointment gets it. If the appointment already has the slot,
 * nothing changes. If two appointments claim the same slot at the same time, the second transaction waits here until
 * the first commits. Then the second gets an error.
 */
export async function claimSlot(ctx: TxCtx<TeamCtx>, slot: ClaimedSlot, appointment: Claimant): Promise<void> {
  const claimed = await ctx.db
    .insertInto('appointment_slots')
    .values({
      team_id: ctx.team.id,
      site_hash: siteHash(ctx, slot),
      start_at: slot.start_at,
      user_id: appointment.user_id,
      order_id: appointment.order_id,
      appointment_id: appointment.id,
    })
    .onConflict((oc) =>
      oc
        .columns(['team_id', 'site_hash', 'start_at'])
        .doUpdateSet({ appointment_id: appointment.id })
        .where('appointment_slots.appointment_id', '=', appointment.id),
    )
    .returning('start_at')
    .executeTakeFirst();
  if (!claimed) throw new AppError('slot_taken', 'This slot has been taken. Ask for the availability again.');
}

/**
 * Frees the slots of an appointment, except the slot `except`. A move must claim the new slot before it frees the old
 * one. In the other order, two appointments that swap their slots would wait for each other's lock.
 */
export async function freeSlots(
  ctx: TxCtx<TeamCtx>,
  appointment: Claimant,
  except: ClaimedSlot | null = null,
): Promise<void> {
  await ctx.db
    .deleteFrom('appointment_slots')
    .where('user_id', '=', appointment.user_id)
    .where('order_id', '=', appointment.order_id)
    .where('appointment_id', '=', appointment.id)
    .$if(except !== null, (query) =>
      query.where(({ eb, or }) =>
        or([
          eb('start_at', '!=', (except as ClaimedSlot).start_at),
          eb('site_hash', '!=', siteHash(ctx, except as ClaimedSlot)),
        ]),
      ),
    )
    .execute();
}

/** Returns the free slots among these slots. A slot is free if no appointment of the team has it. */
export async function withoutTaken(ctx: TeamCtx, slots: Slot[]): Promise<Slot[]> {
  const starts = slots.map(({ start_at }) => start_at).toSorted();
  if (starts.length === 0) return [];
  const keyOf = (hash: Buffer, start: string): string => `${hash.toString('hex')} ${start}`;
  const hashes = new Map(slots.map((slot) => [`${slot.provider} ${slot.site.code}`, siteHash(ctx, slot)]));
  const rows = await ctx.db
    .selectFrom('appointment_slots')
    .select(['site_hash', 'start_at'])
    .where('team_id', '=', ctx.team.id)
    .where('site_hash', 'in', [...hashes.values()])
    .where('start_at', '>=', starts[0] as string)
    .where('start_at', '<=', starts.at(-1) as string)
    .execute();
  const taken = new Set(rows.map(({ site_hash, start_at }) => keyOf(site_hash, start_at)));
  return slots.filter(
    (slot) => !taken.has(keyOf(hashes.get(`${slot.provider} ${slot.site.code}`) as Buffer, slot.start_at)),
  );
}
