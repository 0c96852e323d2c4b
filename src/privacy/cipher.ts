import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomFillSync,
  type KeyObject,
} from 'node:crypto';
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import type { BytesColumn, JsonColumn, LookupKind, PackedColumn, SealedColumn, TextColumn } from './columns.ts';
import { hmacSha256 } from './hmac.ts';
import { UnknownKey } from './unknown-key.ts';

/** Which row a sealed value belongs to; `team_id` is its team, or its organisation where it is of no team. Where several columns name the row, `id` joins them with a slash. */
type SealedRow = { team_id: string; id: string };

/** The deployment's keys: the one that seals, and every one that opens, by version (1 to 255); 32 bytes each. */
export type KeyRing = { sealing: number; keys: Map<number, Buffer>; lookupKey: Buffer };

/** What keeps personal columns: columns.ts says which and how. A value takes a few microseconds; what is packed, longer, elsewhere. */
export type Cipher = {
  /** Version of the key that seals. */
  sealing: number;
  /** Versions of all keys that open. */
  versions: number[];
  /** Tells of versions under which values stand and which this process was not given. */
  noteMissing: (versions: number[]) => void;
  isMissing: (version: number) => boolean;
  /** Whether any version is missing. */
  lacksKeys: () => boolean;
  sealText: (column: TextColumn, row: SealedRow, text: string) => Buffer;
  openText: (column: TextColumn, row: SealedRow, sealed: Buffer) => string;
  sealJson: (column: JsonColumn, row: SealedRow, value: unknown) => Buffer;
  openJson: <T>(column: JsonColumn, row: SealedRow, sealed: Buffer) => T;
  /** A text that begins as JSON does. */
  sealPacked: (column: PackedColumn, row: SealedRow, json: string) => Promise<Buffer>;
  openPacked: (column: PackedColumn, row: SealedRow, sealed: Buffer) => Promise<string>;
  /** The same in UTF-8: a text that is only sent on need not be one in between. */
  openPackedBytes: (column: PackedColumn, row: SealedRow, sealed: Buffer) => Promise<Buffer>;
  sealBytes: (column: BytesColumn, row: SealedRow, bytes: Buffer) => Buffer;
  openBytes: (column: BytesColumn, row: SealedRow, sealed: Buffer) => Buffer;
  /** The same value sealed under the newest key; null where it is already. */
  reseal: (column: SealedColumn, row: SealedRow, sealed: Buffer) => Buffer | null;
  /** HMAC-SHA256 by which a team's rows are found; equal texts of two teams or kinds have different hashes. */
  lookupHash: (kind: LookupKind, teamId: string, text: string) => Buffer;
  /** HMAC-SHA256 under the team's key for signatures; null where the deployment has no key of that version. */
  signatureOf: (version: number, teamId: string, message: Buffer) => Buffer | null;
};

const VERSION_BYTES = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
/** Below it, packing costs more than it saves. */
const PACKED_FROM_BYTES = 8_192;
/** What zlib's format begins with (RFC 1950), and JSON never. */
const ZLIB_MARK = 0x78;
const pack = promisify(deflate);
const unpack = promisify(inflate);
/** A team's key takes 10 µs to derive and is kept; the bound holds the memory of a deployment with very many teams. */
const MOST_TEAM_KEYS = 10_000;

/**
 * AES-256-GCM: key version (1 byte), random nonce (12), ciphertext, tag (16). Each team has a key of its own, derived
 * from the deployment's, so that the bound of random nonces (2^32 values under one key, NIST SP 800-38D 8.3) is one
 * per team. Column, team and row are associated data: a value that was moved elsewhere does not open.
 */
export function openCipher({ sealing, keys, lookupKey }: KeyRing): Cipher {
  const known = knownVersions(keys);

  const teamKey = teamKeysOf(keys);

  const seal = (column: SealedColumn, row: SealedRow, plain: Buffer): Buffer => {
    const teamId = row.team_id.toLowerCase();
    const nonce = freshNonce();
    const cipher = createCipheriv('aes-256-gcm', teamKey(sealing, teamId, 'columns'), nonce);
    cipher.setAAD(placeOf(column, row));
    return Buffer.concat([Buffer.of(sealing), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  };

  const open = (column: SealedColumn, row: SealedRow, sealed: Buffer): Buffer => {
    const start = VERSION_BYTES + NONCE_BYTES;
    const end = sealed.length - TAG_BYTES;
    if (end < start) throw new Error(`A value of ${column} is too short to be sealed.`);
    const key = teamKey(sealed[0] as number, row.team_id.toLowerCase(), 'columns');
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(VERSION_BYTES, start), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(placeOf(column, row));
    decipher.setAuthTag(sealed.subarray(end));
    try {
      const plain = decipher.update(sealed.subarray(start, end));
      decipher.final(); // in this mode nothing is left for it but the check of the tag
      return plain;
    } catch {
      throw new Error(
        `A value of ${column} does not open: it was changed, moved from another row, or sealed under another key.`,
      );
    }
  };

  const openPackedBytes: Cipher['openPackedBytes'] = async (column, row, sealed) => {
    const plain = open(column, row, sealed);
    return plain[0] === ZLIB_MARK ? unpack(plain) : plain;
  };

  return {
    sealing,
    ...known,
    sealText: (column, row, text) => seal(column, row, Buffer.from(text)),
    openText: (column, row, sealed) => open(column, row, sealed).toString(),
    sealJson: (column, row, value) => seal(column, row, Buffer.from(JSON.stringify(value))),
    openJson: <T>(column: JsonColumn, row: SealedRow, sealed: Buffer) =>
      JSON.parse(open(column, row, sealed).toString()) as T,
    sealPacked: async (column, row, json) => {
      const plain = Buffer.from(json);
      // Fast packing: more would take three times as long for a tenth of the bytes.
      return seal(column, row, plain.length < PACKED_FROM_BYTES ? plain : await pack(plain, { level: 1 }));
    },
    openPacked: async (column, row, sealed) => (await openPackedBytes(column, row, sealed)).toString(),
    openPackedBytes,
    sealBytes: seal,
    openBytes: open,
    reseal: (column, row, sealed) => (sealed[0] === sealing ? null : seal(column, row, open(column, row, sealed))),
    lookupHash: (kind, teamId, text) =>
      createHmac('sha256', lookupKey).update(`${kind} ${teamId.toLowerCase()} ${text}`).digest(),
    signatureOf: (version, teamId, message) =>
      keys.has(version) || known.isMissing(version)
        ? hmacSha256(teamKey(version, teamId.toLowerCase(), 'signatures'), message)
        : null,
  };
}

type Use = 'columns' | 'signatures';

/** The keys of teams, derived when they are first needed. */
function teamKeysOf(keys: KeyRing['keys']): (version: number, teamId: string, use: Use) => KeyObject {
  const derived = new Map<string, KeyObject>();
  const find = (version: number, teamId: string, use: Use): KeyObject => {
    const name = `${version} ${teamId} ${use}`;
    const known = derived.get(name);
    if (known) return known;
    const key = keys.get(version);
    if (!key) throw new UnknownKey(version);
    const fresh = createSecretKey(
      Buffer.from(hkdfSync('sha256', key, '', `phial ${use} of team ${teamId}`, KEY_BYTES)),
    );
    if (derived.size >= MOST_TEAM_KEYS) derived.delete(derived.keys().next().value as string);
    derived.set(name, fresh);
    return fresh;
  };
  // Many values of one team are opened in a row: its id is compared faster than a name is made and found.
  const latest: Partial<Record<Use, { version: number; teamId: string; key: KeyObject }>> = {};
  return (version, teamId, use) => {
    const last = latest[use];
    if (last?.version === version && last.teamId === teamId) return last.key;
    const key = find(version, teamId, use);
    latest[use] = { version, teamId, key };
    return key;
  };
}

function knownVersions(keys: KeyRing['keys']): Pick<Cipher, 'versions' | 'noteMissing' | 'isMissing' | 'lacksKeys'> {
  let missing = new Set<number>();
  return {
    versions: [...keys.keys()],
    noteMissing: (versions) => {
      missing = new Set(versions);
    },
    isMissing: (version) => missing.has(version),
    lacksKeys: () => missing.size > 0,
  };
}

/** Ids are the same in upper and lower case everywhere else, so here too. */
const placeOf = (column: SealedColumn, row: SealedRow): Buffer =>
  Buffer.from(`${column} ${row.team_id.toLowerCase()} ${row.id.toLowerCase()}`);

// One call to the random generator for many nonces: a call for each costs half as much as the sealing itself.
const nonces = Buffer.alloc(NONCE_BYTES * 256);
let nextNonce = nonces.length;

function freshNonce(): Buffer {
  if (nextNonce === nonces.length) {
    randomFillSync(nonces);
    nextNonce = 0;
  }
  return Buffer.from(nonces.subarray(nextNonce, (nextNonce += NONCE_BYTES)));
}
