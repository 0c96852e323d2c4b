import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import type { Config, Secrets } from '../config/options.ts';
import { claimDeployment } from '../db/deployment.ts';
import type { Db } from '../db/open.ts';
import { openCipher, type Cipher, type KeyRing } from './cipher.ts';

/** Makes sure that database and keys are the configured deployment's own, and opens what personal columns are kept with. */
export async function claimCipher(db: Db, config: Config, secrets: Secrets): Promise<Cipher> {
  const lookupKey = await claimDeployment(db, config, secrets);
  return openCipher({ ...(await claimKeys(db, secrets.encryptionKeys)), lookupKey });
}

/**
 * The operator's keys, the first of which seals; without any, the one that this sandbox made with its database, where
 * every process of it finds it. Throws where a version that rows may be sealed under is missing or is another key.
 */
async function claimKeys(db: Db, given: Secrets['encryptionKeys']): Promise<Pick<KeyRing, 'sealing' | 'keys'>> {
  const [first] = given;
  if (first) {
    await db
      .insertInto('encryption_keys')
      .values({ version: first.version, key_check: checkOf(first.key) })
      .onConflict((oc) => oc.doNothing())
      .execute();
  } else {
    const made = randomBytes(32);
    await sql`
      insert into encryption_keys (version, key_check, made_key) select 1, ${checkOf(made)}, ${made}
       where not exists (select from encryption_keys) on conflict do nothing`.execute(db);
  }
  const rows = await db.selectFrom('encryption_keys').selectAll().orderBy('version').execute();
  const keys = new Map(given.map(({ version, key }) => [version, key]));
  for (const row of rows) if (row.made_key && !keys.has(row.version)) keys.set(row.version, row.made_key);
  const missing = rows.filter((row) => !keys.has(row.version)).map((row) => row.version);
  if (missing.length > 0) {
    throw new Error(
      `Personal data in this database is sealed under encryption key version ${missing.join(', ')}, which PHIAL_ENCRYPTION_KEYS lacks. ` +
        'Add it; `phial rotate-keys` tells when an old key is no longer needed.',
    );
  }
  const wrong = rows.filter((row) => !timingSafeEqual(checkOf(keys.get(row.version) as Buffer), row.key_check));
  if (wrong.length > 0) {
    throw new Error(
      `PHIAL_ENCRYPTION_KEYS: version ${wrong.map((row) => row.version).join(', ')} is not the key that this database was sealed with. ` +
        'A new key needs a version of its own.',
    );
  }
  return { sealing: first?.version ?? (rows.at(-1)?.version as number), keys };
}

const checkOf = (key: Buffer): Buffer => createHmac('sha256', key).update('phial encryption key').digest();
