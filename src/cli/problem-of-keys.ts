import type { Config, Secrets } from '../config/options.ts';
import { openDatabase } from '../db/open-database.ts';
import { openLog } from '../log.ts';
import { claimCipher } from '../privacy/claim-cipher.ts';

/**
 * Checks keys and deployment like a start. Returns why a start would be refused, or null. A start could store the first
 * key, so the transaction is rolled back.
 */
export async function problemOfKeys(config: Config, secrets: Secrets, url: string): Promise<string | null> {
  const database = openDatabase({ url, poolSize: 1, role: 'phial_app', log: openLog('silent') });
  const rolledBack = new Error('rolled back');
  try {
    await database.db.transaction().execute(async (transaction) => {
      await claimCipher(transaction, config, secrets);
      throw rolledBack;
    });
    return null;
  } catch (error) {
    return error === rolledBack ? null : (error as Error).message;
  } finally {
    await database.close();
  }
}
