import type { TeamCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { UnknownKey } from '../../../privacy/unknown-key.ts';
import type { AppointmentProvider } from '../../schedulers/providers.ts';
import type { AppointmentType } from '../schemas.ts';
import type { Place } from '../sealed.ts';

/** A time at a place that somebody offers. */
export type Slot = {
  type: AppointmentType;
  provider: AppointmentProvider;
  /** Who offers it, and what a connected scheduler calls it. */
  by: 'simulated' | 'scheduler';
  slot_id: string | null;
  place: Place;
  /** Whose place it is; null where somebody comes to the patient. */
  lab_id: number | null;
  start_at: string;
  end_at: string;
  iana_timezone: string;
};

const VALID_MS = 30 * 60_000;

/** What a key is sealed as: no row has this id, so neither opens as the other. */
const rowOfKeys = ({ team }: TeamCtx): { team_id: string; id: string } => ({ team_id: team.id, id: 'booking key' });

/** Keys made now can be used for half an hour, and never once their slot has begun. */
export const expiryOf = ({ start_at }: Pick<Slot, 'start_at'>, now: number): string =>
  new Date(Math.min(now + VALID_MS, Date.parse(start_at))).toISOString();

/**
 * A slot as text that only this deployment reads, and only for this team: it holds the address that was asked for, so
 * nothing has to be kept of a question that nobody comes back to.
 */
export const sealBookingKey = (ctx: TeamCtx, slot: Slot, expires_at: string): string =>
  ctx.cipher.sealJson('appointments.place', rowOfKeys(ctx), { ...slot, expires_at }).toString('base64url');

/** The slot of a key; refuses what is none, what another team got, and what has expired. */
export function openBookingKey(ctx: TeamCtx, key: string): Slot {
  const { expires_at, ...slot } = openOrRefuse(ctx, key);
  if (Date.parse(expires_at) <= Date.now()) {
    throw new AppError('booking_key_expired', 'This booking_key has expired. Ask for the availability again.');
  }
  return slot;
}

function openOrRefuse(ctx: TeamCtx, key: string): Slot & { expires_at: string } {
  try {
    return ctx.cipher.openJson('appointments.place', rowOfKeys(ctx), Buffer.from(key, 'base64url'));
  } catch (error) {
    // The version is the caller's word: one that no value stands under is as wrong as the rest.
    if (error instanceof UnknownKey && ctx.cipher.isMissing(error.key_version)) throw error;
    throw new AppError('booking_key_invalid', 'This is no booking_key of a slot that this team was offered.');
  }
}
