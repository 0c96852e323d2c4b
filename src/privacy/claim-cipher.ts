import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Config, Secrets } from '../config/options.ts';
import { claimDeployment } from '../db/deployment.ts';
import type { Db } from '../db/open-database.ts';
import type { DB } from '../db/tables.ts';
import { openCipher, type Cipher, type KeyRing } from './cipher.ts';

/** Checks that the database and the keys belong to the configured deployment. Returns the cipher. */
export async function claimCipher(db: Db, config: Config, secrets: Secrets): Promise<Cipher> {
  const lookupKey = await claimDeployment(db, config, secrets);
  return openCipher({ ...(await claimKeys(db, secrets.encryptionKeys)), lookupKey });
}

/**
 * Returns the operator's encryption keys. The first of them encrypts. If the operator gave none, the function returns
 * the key that this sandbox made and stored in its database for all its processes. Throws if stored values use a key
 * version whose key is missing or different.
 */
async function claimKeys(db: Db, given: Secrets['encryptionKeys']): Promise<Pick<KeyRing, 'sealing' | 'keys'>> {
  let rows = await readVersions(db);
  refuseMissingOrWrong(rows, given);
  const [first] = given;
  const fresh = first ?? (rows.length === 0 ? { version: 1, key: randomBytes(32) } : null);
  if (fresh && !rows.some((row) => row.version === fresh.version)) {
    await db
      .insertInto('encryption_keys')
      .values({ version: fresh.version, key_check: checkOf(fresh.key), made_key: first ? null : fresh.key })
      .onConflict((oc) => oc.doNothing())
      .execute();
    // If two processes start at the same moment, the other process may have stored another key.
    rows = await readVersions(db);
    refuseMissingOrWrong(rows, given);
  }
  return { sealing: first?.version ?? (rows.at(-1) as Version).version, keys: keysOf(rows, given) };
}

type Version = Selectable<DB['encryption_keys']>;

const readVersions = (db: Db): Promise<Version[]> =>
  db.selectFrom('encryption_keys').selectAll().orderBy('version').execute();

function keysOf(rows: Version[], given: Secrets['encryptionKeys']): Map<number, Buffer> {
  const made = rows.flatMap(({ version, made_key }): [number, Buffer][] => (made_key ? [[version, made_key]] : []));
  return new Map([...made, ...given.map(({ version, key }): [number, Buffer] => [version, key])]);
}

function refuseMissingOrWrong(rows: Version[], given: Secrets['encryptionKeys']): void {
  const keys = keysOf(rows, given);
  const missing = rows.filter((row) => !keys.has(row.version)).map((row) => row.version);
  if (missing.length > 0) {
    throw new Error(
      `Personal data in this database is sealed under encryption key version ${missing.join(', ')}, which is ` +
        'missing in PHIAL_ENCRYPTION_KEYS. Add it. `phial rotate-keys` reports when an old key is no longer ' +
        'needed.',
    );
  }
  const wrong = rows.filter((row) => !timingSafeEqual(checkOf(keys.get(row.version) as Buffer), row.key_check));
  if (wrong.length > 0) {
    throw new Error(
      `PHIAL_ENCRYPTION_KEYS: version ${wrong.map((row) => row.version).join(', ')} is not the key that this ` +
        'database was sealed with. A new key needs a new version.',
    );
  }
}

const checkOf = (key: Buffer): Buffer => createHmac('sha256', key).update('phial encryption key').digest();
