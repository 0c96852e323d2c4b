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
import {
  SEALED_COLUMNS,
  type BytesColumn,
  type JsonColumn,
  type LookupKind,
  type PackedColumn,
  type SealedColumn,
  type TextColumn,
} from './sealed-columns.ts';
import { hmacSha256 } from './hmac.ts';
import { MissingEncryptionKey } from './missing-encryption-key.ts';

/**
 * The row of a sealed value. `team_id` is the id of its team, or of its organisation if the row has no team. `id` is
 * the row's id. If several columns identify the row, they are joined with a slash.
 */
type SealedRow = { team_id: string; id: string };

/**
 * The encryption keys of the deployment by version (1 to 255), 32 bytes each. We encrypt with the version `sealing`,
 * and decrypt with all of them.
 */
export type KeyRing = { sealing: number; keys: Map<number, Buffer>; lookupKey: Buffer };

/**
 * Seals and opens personal columns, which sealed-columns.ts lists. To seal is to encrypt a value and bind it to its
 * column, team and row. A value takes a few microseconds. Packed (compressed) values take longer, so we handle them in
 * the thread pool.
 */
export type Cipher = {
  /** The version of the encryption key with which we seal. */
  sealing: number;
  /** The versions of all encryption keys with which we open. */
  versions: number[];
  /** Sets the encryption key versions that other processes use but that this process does not have. */
  noteMissing: (versions: number[]) => void;
  isMissing: (version: number) => boolean;
  /** Returns true if the key of any version in use is missing. */
  lacksKeys: () => boolean;
  sealText: (column: TextColumn, row: SealedRow, text: string) => Buffer;
  openText: (column: TextColumn, row: SealedRow, sealed: Buffer) => string;
  sealJson: (column: JsonColumn, row: SealedRow, value: unknown) => Buffer;
  openJson: <T>(column: JsonColumn, row: SealedRow, sealed: Buffer) => T;
  sealPacked: (column: PackedColumn, row: SealedRow, json: string) => Promise<Buffer>;
  openPacked: (column: PackedColumn, row: SealedRow, sealed: Buffer) => Promise<string>;
  /** Like `openPacked`, but returns UTF-8 bytes. A caller that only sends the text on need not decode it. */
  openPackedBytes: (column: PackedColumn, row: SealedRow, sealed: Buffer) => Promise<Buffer>;
  sealBytes: (column: BytesColumn, row: SealedRow, bytes: Buffer) => Buffer;
  openBytes: (column: BytesColumn, row: SealedRow, sealed: Buffer) => Buffer;
  /** Returns the value sealed under the newest key, or null if it is already sealed under that key. */
  reseal: (column: SealedColumn, row: SealedRow, sealed: Buffer) => Buffer | null;
  /**
   * Returns an HMAC-SHA256 by which we find rows of a team. The hashes of equal texts differ between two teams and
   * between two kinds.
   */
  lookupHash: (kind: LookupKind, teamId: string, text: string) => Buffer;
  /**
   * Returns an HMAC-SHA256 with the team's key for signatures. Returns null if the deployment has no key of this
   * version.
   */
  signatureOf: (version: number, teamId: string, message: Buffer) => Buffer | null;
};

const VERSION_BYTES = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
/** For a smaller value, compression costs more than it saves. */
const PACKED_FROM_BYTES = 8_192;
/** The first byte of zlib data (RFC 1950). JSON never starts with it. */
const ZLIB_MARK = 0x78;
const pack = promisify(deflate);
const unpack = promisify(inflate);
/** Deriving a team's key takes 10 µs, so we cache keys. This limits the memory in a deployment with very many teams. */
const MAX_TEAM_KEYS = 10_000;

/**
 * Returns a cipher that uses AES-256-GCM. A sealed value is the key version (1 byte), a random nonce (12), the
 * ciphertext, and the tag (16).
 * Under one key, at most 2^32 random nonces are safe (NIST SP 800-38D 8.3). We derive a key for each team from the
 * deployment's key, so this limit applies to each team separately. Column, team and row are associated data. So if
 * somebody moves a value to another row or column, it cannot be decrypted there.
 */
export function openCipher({ sealing, keys, lookupKey }: KeyRing): Cipher {
  const known = knownVersions(keys);

  const teamKey = teamKeysOf(keys);

  const seal = (column: SealedColumn, row: SealedRow, plain: Buffer): Buffer => {
    const teamId = row.team_id.toLowerCase();
    const nonce = freshNonce();
    const cipher = createCipheriv('aes-256-gcm', teamKey(sealing, teamId, 'columns'), nonce);
    cipher.setAAD(associatedDataOf(column, row));
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
    decipher.setAAD(associatedDataOf(column, row));
    decipher.setAuthTag(sealed.subarray(end));
    try {
      const plain = decipher.update(sealed.subarray(start, end));
      decipher.final(); // In GCM mode this only checks the tag.
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
      // A higher level takes three times as long and saves a tenth of the bytes.
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

/** Returns a function that derives the key of a team at first use and caches it. */
function teamKeysOf(keys: KeyRing['keys']): (version: number, teamId: string, use: Use) => KeyObject {
  const derived = new Map<string, KeyObject>();
  const find = (version: number, teamId: string, use: Use): KeyObject => {
    const name = `${version} ${teamId} ${use}`;
    const known = derived.get(name);
    if (known) return known;
    const key = keys.get(version);
    if (!key) throw new MissingEncryptionKey(version);
    const fresh = createSecretKey(
      Buffer.from(hkdfSync('sha256', key, '', `phial ${use} of team ${teamId}`, KEY_BYTES)),
    );
    if (derived.size >= MAX_TEAM_KEYS) derived.delete(derived.keys().next().value as string);
    derived.set(name, fresh);
    return fresh;
  };
  // We usually decrypt many values of one team in succession. To compare the team's id is faster than to build a cache
  // key and look it up.
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

/**
 * Returns the associated data of a value. An id may be in upper or lower case, so this function converts ids to lower
 * case.
 */
function associatedDataOf(column: SealedColumn, row: SealedRow): Buffer {
  const sealed = SEALED_COLUMNS[column];
  const boundAs = 'boundAs' in sealed ? sealed.boundAs : column;
  return Buffer.from(`${boundAs} ${row.team_id.toLowerCase()} ${row.id.toLowerCase()}`);
}

// One call of the random generator makes many nonces. With a call for each nonce, the calls would take half as long as
// the encryption itself.
const nonces = Buffer.alloc(NONCE_BYTES * 256);
let nextNonce = nonces.length;

function freshNonce(): Buffer {
  if (nextNonce === nonces.length) {
    randomFillSync(nonces);
    nextNonce = 0;
  }
  return Buffer.from(nonces.subarray(nextNonce, (nextNonce += NONCE_BYTES)));
}
