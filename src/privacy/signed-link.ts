import { timingSafeEqual } from 'node:crypto';
import type { Ctx, TeamCtx } from '../context.ts';
import { AppError } from '../errors.ts';
import type { Cipher } from './cipher.ts';

/** What a signed link opens: one record of one team, as one kind of document, until a moment. */
export type SignedLink = {
  team_id: string;
  id: string;
  /** Seconds since 1970. */
  expires: number;
  /** How often the team's links had been ended when it was made: those of before open nothing. */
  generation: number;
  /** The key that it was obtained with; null where there was none. */
  key_id: string | null;
};

/**
 * Where the parts of a token begin: key version, expiry, team, record, generation, key, and the signature, whose message all of
 * them are. Links of 0.1.0, which end seven days after they were made, have neither generation nor key.
 */
const EXPIRES_AT = 1;
const TEAM_AT = EXPIRES_AT + 4;
const UUID_BYTES = 16;
const RECORD_AT = TEAM_AT + UUID_BYTES;
const GENERATION_AT = RECORD_AT + UUID_BYTES;
const KEY_AT = GENERATION_AT + 4;
const SIGNED_BYTES = KEY_AT + UUID_BYTES;
const SIGNED_BYTES_OF_0_1_0 = GENERATION_AT;
const SIGNATURE_BYTES = 32;
const NO_KEY = '00000000-0000-0000-0000-000000000000';

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
  ctx: Pick<Ctx, 'cipher' | 'config'> & Obtained,
  kind: string,
  { team_id, id, expires = endOfLink(Date.now()) }: Pick<SignedLink, 'team_id' | 'id'> & { expires?: number },
): string {
  return `${ctx.config.baseUrl}/documents/${kind}/${signToken(ctx.cipher, kind, { team_id, id, expires, ...obtainedBy(ctx) })}`;
}

/** Of whom a link is obtained: a team, with or without a key, or an organisation, which has neither here. */
type Obtained = Partial<Pick<TeamCtx, 'team' | 'keyId'>>;

/** What of a link tells when it ends before its time. */
export const obtainedBy = ({ team, keyId }: Obtained): Pick<SignedLink, 'generation' | 'key_id'> => ({
  generation: team?.settings.signed_link_generation ?? 0,
  key_id: keyId ?? null,
});

/** The last part of the address. */
export function signToken(
  cipher: Cipher,
  kind: string,
  {
    team_id,
    id,
    expires,
    generation = 0,
    key_id = null,
  }: Pick<SignedLink, 'team_id' | 'id' | 'expires'> & Partial<SignedLink>,
): string {
  const before = prefixOf(kind);
  const bytes = Buffer.allocUnsafe(before.length + SIGNED_BYTES + SIGNATURE_BYTES);
  before.copy(bytes);
  const signed = bytes.subarray(before.length);
  signed[0] = cipher.sealing;
  signed.writeUInt32BE(expires, EXPIRES_AT);
  writeUuid(signed, team_id, TEAM_AT);
  writeUuid(signed, id, RECORD_AT);
  signed.writeUInt32BE(generation, GENERATION_AT);
  writeUuid(signed, key_id ?? NO_KEY, KEY_AT);
  const message = bytes.subarray(0, before.length + SIGNED_BYTES);
  signed.set(cipher.signatureOf(cipher.sealing, team_id, message) as Buffer, SIGNED_BYTES);
  return signed.toString('base64url');
}

/** What the token opens as a document of this kind, whether or not its time is over; null where we did not sign it. */
export function readToken(cipher: Cipher, kind: string, token: string): SignedLink | null {
  const bytes = Buffer.from(token, 'base64url');
  // A second text of the same bytes is none of ours.
  const length = bytes.length - SIGNATURE_BYTES;
  if ((length !== SIGNED_BYTES && length !== SIGNED_BYTES_OF_0_1_0) || bytes.toString('base64url') !== token)
    return null;
  const signed = bytes.subarray(0, length);
  const team_id = readUuid(signed, TEAM_AT);
  const signature = cipher.signatureOf(signed[0] as number, team_id, messageOf(kind, signed));
  if (!signature || !timingSafeEqual(signature, bytes.subarray(length))) return null;
  const key_id = length === SIGNED_BYTES ? readUuid(signed, KEY_AT) : NO_KEY;
  return {
    team_id,
    id: readUuid(signed, RECORD_AT),
    expires: signed.readUInt32BE(EXPIRES_AT),
    generation: length === SIGNED_BYTES ? signed.readUInt32BE(GENERATION_AT) : 0,
    key_id: key_id === NO_KEY ? null : key_id,
  };
}

/** The kind is signed along and stands in the path: a link to one document opens no other of the same record. */
const messageOf = (kind: string, signed: Buffer): Buffer => Buffer.concat([prefixOf(kind), signed]);

const prefixes = new Map<string, Buffer>();

function prefixOf(kind: string): Buffer {
  let known = prefixes.get(kind);
  if (!known) prefixes.set(kind, (known = Buffer.from(`document ${kind} `)));
  return known;
}

const [DASH, ZERO, NINE, LOWER_CASE, LETTERS_FROM] = [0x2d, 0x30, 0x39, 0x20, 0x61 - 10];

/** By hand: as hex without its dashes it takes four times as long, and a page of orders has hundreds. */
function writeUuid(into: Buffer, id: string, at: number): void {
  let nibbles = 0;
  let byte = 0;
  for (let place = 0; place < id.length; place += 1) {
    const code = id.charCodeAt(place);
    if (code === DASH) continue;
    byte = (byte << 4) | (code <= NINE ? code - ZERO : (code | LOWER_CASE) - LETTERS_FROM);
    nibbles += 1;
    if (nibbles % 2 === 0) into[at + nibbles / 2 - 1] = byte & 0xff;
  }
}

const readUuid = (from: Buffer, at: number): string =>
  from
    .subarray(at, at + UUID_BYTES)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
