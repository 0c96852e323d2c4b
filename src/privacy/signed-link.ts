import { timingSafeEqual } from 'node:crypto';
import type { Ctx, TeamCtx } from '../context.ts';
import { AppError } from '../errors.ts';
import type { Cipher } from './cipher.ts';

/** A signed link opens one record of one team, as one kind of document, until it expires. */
export type SignedLink = {
  team_id: string;
  id: string;
  /** In seconds since 1970. */
  expires: number;
  /**
   * The team's generation when we made the link. A team can end all its links at once, and this increases its
   * generation. Links of earlier generations are not valid.
   */
  generation: number;
  /** The API key with which the caller got the link. Null if there was no key. */
  key_id: string | null;
};

/**
 * The offsets of the parts of a token: encryption key version, expiry, team, record, generation, API key, and a
 * signature over all of these. Links of release 0.1.0 expire seven days after they were made, and have no generation
 * and no API key.
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
/** A link is valid for seven days, and then until the end of the hour. */
const GOOD_FOR_HOURS = 7 * 24;

/**
 * Returns the expiry of a link that we make now. All links of one hour have the same expiry. So a client that reads an
 * unchanged order again within the hour gets the same links.
 */
export const endOfLink = (now: number): number =>
  (Math.floor(now / 1000 / HOUR_SECONDS) + GOOD_FOR_HOURS + 1) * HOUR_SECONDS;

/**
 * Returns the error for a link that we refuse. It is the same for every reason, so the caller does not learn the
 * reason.
 */
export const linkRefused = (): AppError =>
  new AppError('link_refused', 'This link is not valid or has expired. Ask for a new one where you got it.');

/**
 * Returns a URL that opens a record as this kind of document without an API key. The URL contains ids and no personal
 * data.
 */
export function signedUrl(
  ctx: Pick<Ctx, 'cipher' | 'config'> & Obtained,
  kind: string,
  { team_id, id, expires = endOfLink(Date.now()) }: Pick<SignedLink, 'team_id' | 'id'> & { expires?: number },
): string {
  const token = signToken(ctx.cipher, kind, { team_id, id, expires, ...obtainedBy(ctx) });
  return `${ctx.config.baseUrl}/documents/${kind}/${token}`;
}

/**
 * The parts of a context that a link depends on. A team context has a team and perhaps an API key. The context of an
 * organisation has neither.
 */
type Obtained = Partial<Pick<TeamCtx, 'team' | 'keyId'>>;

/** Returns the team's generation and the API key of the caller. A change of one of them can end the link early. */
export const obtainedBy = ({ team, keyId }: Obtained): Pick<SignedLink, 'generation' | 'key_id'> => ({
  generation: team?.settings.signed_link_generation ?? 0,
  key_id: keyId ?? null,
});

/** Returns the last part of the URL, which is the signed token. */
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

/** Reads the token of a document of this kind, even if it has expired. Returns null if we did not sign it. */
export function readToken(cipher: Cipher, kind: string, token: string): SignedLink | null {
  const bytes = Buffer.from(token, 'base64url');
  // A token can be encoded in several ways. We accept only the encoding that we make.
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

/**
 * The kind of document is part of the path and of the signed message. So the link to one document opens no other
 * document of the same record.
 */
const messageOf = (kind: string, signed: Buffer): Buffer => Buffer.concat([prefixOf(kind), signed]);

const prefixes = new Map<string, Buffer>();

function prefixOf(kind: string): Buffer {
  let known = prefixes.get(kind);
  if (!known) prefixes.set(kind, (known = Buffer.from(`document ${kind} `)));
  return known;
}

const [DASH, ZERO, NINE, LOWER_CASE, LETTERS_FROM] = [0x2d, 0x30, 0x39, 0x20, 0x61 - 10];

/**
 * Writes a UUID as bytes. The usual conversion, from hex without dashes, takes four times as long, and a page of orders
 * has hundreds of ids.
 */
function writeUuid(into: Buffer, id: string, at: number): void {
  let nibbles = 0;
  let byte = 0;
  for (let index = 0; index < id.length; index += 1) {
    const code = id.charCodeAt(index);
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
