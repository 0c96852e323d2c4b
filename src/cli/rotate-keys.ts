import { recordAudit } from '../audit/record.ts';
import { readEnvironment } from '../config/environment.ts';
import { parseConfig } from '../config/options.ts';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import { MIGRATIONS } from '../db/place.ts';
import { claimCipher } from '../privacy/claim-cipher.ts';
import { rotateKeys } from '../privacy/rotate.ts';
import { withPlace } from './database.ts';
import { OPERATOR } from './with-change.ts';

/** Between two lines about the same table, in rows. */
const REPORT_EVERY = 10_000;

export function rotateKeysCommand(): Promise<number> {
  return withPlace('rotate-keys', async (place, log) => {
    const { config, secrets } = parseConfig(readEnvironment());
    await migrate({ ownerUrl: place.ownerUrl, directory: MIGRATIONS });
    const database = openDatabase({ url: place.url, poolSize: 2, role: 'phial_app', log });
    try {
      const cipher = await claimCipher(database.db, config, secrets);
      // At its beginning, since it has no one transaction: also of a rotation that is broken off.
      await recordAudit(database, { team_id: null, actor: OPERATOR, action: 'rotate-keys', records: [] });
      const told = new Map<string, number>();
      const done = await rotateKeys({
        ownerUrl: place.ownerUrl,
        cipher,
        report: (table, rows) => {
          if (rows < (told.get(table) ?? 0) + REPORT_EVERY) return;
          told.set(table, rows);
          console.log(`${table}: ${rows} rows so far`);
        },
      });
      for (const [table, rows] of done) console.log(`${table}: ${rows} rows`);
      console.log(
        `Everything personal is sealed under key version ${cipher.sealing}. Older keys are needed for older backups only.`,
      );
      return 0;
    } finally {
      await database.close();
    }
  });
}
