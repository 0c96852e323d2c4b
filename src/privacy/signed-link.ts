import { timingSafeEqual } from 'node:crypto';
import type { Ctx } from '../context.ts';
import { AppError } from '../errors.ts';
import type { Cipher } from './cipher.ts';

/** What a signed link opens: one record of one team, as one kind of document, until a moment. */
export type SignedLink = { team_id: string; id: string; /** Seconds since 1970. */ expires: number };

/** Length of the parts of a token: key version, expiry, team, record, signature. All of it is the signature's message but itself. */
const VERSION_BYTES = 1;
const EXPIRES_BYTES = 4;
const UUID_BYTES = 16;
const SIGNATURE_BYTES = 32;
const SIGNED_BYTES = VERSION_BYTES + EXPIRES_BYTES + 2 * UUID_BYTES;

const HOUR_SECONDS = 3_600;
/** Seven days; a link ends with the hour in which they are over. */
const GOOD_FOR_HOURS = 7 * 24;

/** When a link that is made now ends: the same for an hour, so that an order that did not change reads the same. */
export const endOfLink = (now: number): number =>
  (Math.floor(now / 1000 / HOUR_SECONDS) + GOOD_FOR_HOURS + 1) * HOUR_SECONDS;

/** The one refusal of a signed link, whatever is wrong with it. */
export const linkRefused = (): AppError =>
  new AppError('link_refused', 'This link is not valid, or its time is over. Ask for another where you got it.');

/** The address that opens the record as a document of this kind, without a key. Ids alone are in it, nothing personal. */
export function signedUrl(
  { cipher, config }: Pick<Ctx, 'cipher' | 'config'>,
  kind: string,
  { team_id, id, expires = endOfLink(Date.now()) }: Omit<SignedLink, 'expires'> & { expires?: number },
): string {
  return `${config.baseUrl}/documents/${kind}/${signToken(cipher, kind, { team_id, id, expires })}`;
}

/** The last part of the address. */
export function signToken(cipher: Cipher, kind: string, { team_id, id, expires }: SignedLink): string {
  const signed = Buffer.alloc(SIGNED_BYTES);
  signed[0] = cipher.sealing;
  signed.writeUInt32BE(expires, VERSION_BYTES);
  writeUuid(signed, team_id, VERSION_BYTES + EXPIRES_BYTES);
  writeUuid(signed, id, VERSION_BYTES + EXPIRES_BYTES + UUID_BYTES);
  const signature = cipher.signatureOf(cipher.sealing, team_id, messageOf(kind, signed)) as Buffer;
  return Buffer.concat([signed, signature]).toString('base64url');
}

/** What the token opens as a document of this kind, whether or not its time is over; null where we did not sign it. */
export function readToken(cipher: Cipher, kind: string, token: string): SignedLink | null {
  const bytes = Buffer.from(token, 'base64url');
  // A second text of the same bytes is none of ours.
  if (bytes.length !== SIGNED_BYTES + SIGNATURE_BYTES || bytes.toString('base64url') !== token) return null;
  const signed = bytes.subarray(0, SIGNED_BYTES);
  const team_id = readUuid(signed, VERSION_BYTES + EXPIRES_BYTES);
  const signature = cipher.signatureOf(signed[0] as number, team_id, messageOf(kind, signed));
  if (!signature || !timingSafeEqual(signature, bytes.subarray(SIGNED_BYTES))) return null;
  return {
    team_id,
    id: readUuid(signed, VERSION_BYTES + EXPIRES_BYTES + UUID_BYTES),
    expires: signed.readUInt32BE(VERSION_BYTES),
  };
}

/** The kind is signed along and stands in the path: a link to one document opens no other of the same record. */
const messageOf = (kind: string, signed: Buffer): Buffer => Buffer.concat([Buffer.from(`document ${kind} `), signed]);

const writeUuid = (into: Buffer, id: string, at: number): void =>
  void into.write(id.replaceAll('-', ''), at, UUID_BYTES, 'hex');

const readUuid = (from: Buffer, at: number): string =>
  from
    .subarray(at, at + UUID_BYTES)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
