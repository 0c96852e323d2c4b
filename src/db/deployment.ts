import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Config, Secrets } from '../config/options.ts';
import type { Db } from './open-database.ts';

/**
 * Checks that this database belongs to the configured deployment. Returns the lookup key: the secret with which
 * `lookupHash` hashes values, for example names. We search for a sealed value by its hash. The operator sets the key
 * (PHIAL_LOOKUP_KEY). Otherwise the first start with this database generates the key and stores it in the database.
 */
export async function claimDeployment(db: Db, config: Config, secrets: Secrets): Promise<Buffer> {
  const made = secrets.lookupKey ? null : randomBytes(32);
  await db
    .insertInto('deployment')
    .values({
      environment: config.environment,
      region: config.region,
      lookup_key: made,
      lookup_key_check: checkOf(secrets.lookupKey ?? (made as Buffer)),
    })
    .onConflict((oc) => oc.doNothing())
    .execute();
  const row = await db.selectFrom('deployment').selectAll().executeTakeFirstOrThrow();
  if (row.environment !== config.environment || row.region !== config.region) {
    throw new Error(
      `This database belongs to ${row.environment} ${row.region}, but the configuration says ` +
        `${config.environment} ${config.region}.`,
    );
  }
  const key = secrets.lookupKey ?? row.lookup_key;
  if (!key || !timingSafeEqual(checkOf(key), row.lookup_key_check)) {
    throw new Error(
      'PHIAL_LOOKUP_KEY is not the key that this database was made with: searches by name would find nothing.',
    );
  }
  return key;
}

const checkOf = (key: Buffer): Buffer => createHmac('sha256', key).update('phial lookup key').digest();
