import type { TeamCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { MissingEncryptionKey } from '../../../privacy/missing-encryption-key.ts';
import type { AppointmentProvider } from '../../schedulers/providers.ts';
import type { AppointmentType } from '../schemas.ts';
import type { Site } from '../sealed.ts';

/** A time at a site that a scheduler offers for one appointment. */
export type Slot = {
  type: AppointmentType;
  provider: AppointmentProvider;
  /** The kind of scheduler that offers the slot. `slot_id` is the id that a connected scheduler gave to the slot. */
  by: 'simulated' | 'scheduler';
  slot_id: string | null;
  site: Site;
  /** The laboratory of the service center; null for a visit to the patient. */
  lab_id: number | null;
  start_at: string;
  end_at: string;
  iana_timezone: string;
};

const VALID_MS = 30 * 60_000;

/**
 * Returns the row identity to which the cipher binds booking keys. No stored row has the id `booking key`. So nobody
 * can use the sealed value of a row as a booking key, or a booking key as the value of a row.
 */
const rowOfKeys = ({ team }: TeamCtx): { team_id: string; id: string } => ({ team_id: team.id, id: 'booking key' });

/** Returns the expiry time of a booking key. A key is valid for half an hour, and never after its slot has begun. */
export const expiryOf = ({ start_at }: Pick<Slot, 'start_at'>, now: number): string =>
  new Date(Math.min(now + VALID_MS, Date.parse(start_at))).toISOString();

/**
 * Encrypts a slot as a booking key. Only this deployment can decrypt the key, and only for this team. The key contains
 * the slot and the address that the client asked about. Most clients ask for slots and book none, so we store nothing
 * until a client sends the key back.
 */
export const sealBookingKey = (ctx: TeamCtx, slot: Slot, expires_at: string): string =>
  ctx.cipher.sealJson('appointments.site', rowOfKeys(ctx), { ...slot, expires_at }).toString('base64url');

/**
 * Decrypts a booking key. Throws if the text is not a key, if the key belongs to another team, or if the key has
 * expired.
 */
export function openBookingKey(ctx: TeamCtx, key: string): Slot {
  const { expires_at, ...slot } = openOrRefuse(ctx, key);
  // Version 0.1.0 made booking keys without `site`. We cannot book with such a key, so we treat it as expired.
  if (Date.parse(expires_at) <= Date.now() || !('site' in slot)) {
    throw new AppError('booking_key_expired', 'This booking_key has expired. Ask for the availability again.');
  }
  return slot;
}

function openOrRefuse(ctx: TeamCtx, key: string): Slot & { expires_at: string } {
  try {
    return ctx.cipher.openJson('appointments.site', rowOfKeys(ctx), Buffer.from(key, 'base64url'));
  } catch (error) {
    // A booking key names the encryption key that sealed it. If other processes use that encryption key and this
    // process lacks it, the operator must add it. If no process uses it, somebody has forged the booking key.
    if (error instanceof MissingEncryptionKey && ctx.cipher.isMissing(error.key_version)) throw error;
    throw new AppError('booking_key_invalid', 'This is not a booking_key of a slot that this team was offered.');
  }
}
