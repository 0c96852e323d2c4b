import { recordAudit } from '../audit/record-audit.ts';
import { readEnvironment } from '../config/read-environment.ts';
import { parseConfig } from '../config/options.ts';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/open-database.ts';
import { MIGRATIONS } from '../db/database-server.ts';
import { claimCipher } from '../privacy/claim-cipher.ts';
import { rotateKeys } from '../privacy/rotate.ts';
import { withDatabaseServer } from './database.ts';
import { printDone } from './print.ts';
import { openProgress } from './progress.ts';
import { OPERATOR } from './with-change.ts';

export function rotateKeysCommand({ json }: { json: boolean }): Promise<number> {
  return withDatabaseServer('rotate-keys', async (databaseServer, log) => {
    const { config, secrets } = parseConfig(readEnvironment());
    await migrate({ ownerUrl: databaseServer.ownerUrl, directory: MIGRATIONS });
    const database = openDatabase({ url: databaseServer.url, poolSize: 2, role: 'phial_app', log });
    try {
      const cipher = await claimCipher(database.db, config, secrets);
      // A rotation has no single transaction. We write the audit line first, so the audit log also has a rotation that
      // was interrupted.
      await recordAudit(database, { team_id: null, actor: OPERATOR, action: 'rotate-keys', records: [] });
      const progress = openProgress();
      const done = await rotateKeys({
        ownerUrl: databaseServer.ownerUrl,
        cipher,
        report: (table, rows) => progress.show(`${table}: ${rows} rows so far`),
      }).finally(progress.end);
      const others = secrets.encryptionKeys
        .map(({ version }) => version)
        .filter((version) => version !== cipher.sealing);
      const lines = [...done].map(([table, rows]) => `${table}: ${rows} rows`);
      printDone(json, [...lines, describe(cipher.sealing, others)].join('\n'), {
        tables: Object.fromEntries(done),
        key_version: cipher.sealing,
        other_versions: others,
      });
      return 0;
    } finally {
      await database.close();
    }
  });
}

/** Says that rotation is not done if a new key was only added. */
const describe = (sealing: number, others: number[]): string =>
  `All personal data is sealed with key version ${sealing}.` +
  (others.length === 0
    ? ' Older keys are needed for older backups only.'
    : ` PHIAL_ENCRYPTION_KEYS also has version ${others.join(', ')}. If this is the new key, make it the first in ` +
      'every process and run rotate-keys again. If it is an older one, only older backups need it.');
