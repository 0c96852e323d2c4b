import { readFileSync } from 'node:fs';
import { parseConfig } from '../../config/options.ts';
import { readEnvironment } from '../../config/read-environment.ts';
import { migrate } from '../../db/migrate.ts';
import { MIGRATIONS } from '../../db/database-server.ts';
import { connectScheduler, disconnectScheduler } from '../../labs/schedulers/connect-scheduler.ts';
import { SecretUnreadable } from '../../labs/schedulers/secrets.ts';
import { readSchedulerFile } from '../../labs/schedulers/scheduler-settings.ts';
import { UsageError } from '../command.ts';
import { printDone } from '../print.ts';
import { withDatabaseServer } from '../database.ts';

export async function connectSchedulerCommand({ file, json }: { file: string; json: boolean }): Promise<number> {
  const read = readSchedulerFile(contentsOf(file));
  if ('problems' in read) {
    console.error(`The scheduler was not connected:\n${read.problems.map((problem) => `  - ${problem}`).join('\n')}`);
    return 1;
  }
  const { settings } = read;
  return asOwner('scheduler connect', async (ownerUrl) => {
    try {
      await connectScheduler(ownerUrl, settings);
    } catch (error) {
      if (!(error instanceof SecretUnreadable)) throw error;
      console.error(`The scheduler was not connected:\n  - ${error.message}`);
      return 1;
    }
    const how = settings.http ? 'by its HTTP interface' : 'by telephone';
    printDone(json, `${settings.provider} books ${how} from now on.`, {
      provider: settings.provider,
      is_connected: true,
      by_http: Boolean(settings.http),
    });
    return 0;
  });
}

export function disconnectSchedulerCommand({ provider, json }: { provider: string; json: boolean }): Promise<number> {
  return asOwner('scheduler disconnect', async (ownerUrl) => {
    const wasThere = await disconnectScheduler(ownerUrl, provider);
    const words = wasThere ? `${provider} is disconnected.` : `No scheduler is connected as ${provider}.`;
    printDone(json, words, { provider, is_connected: false, was_connected: wasThere });
    return wasThere ? 0 : 1;
  });
}

function asOwner(name: string, work: (ownerUrl: string) => Promise<number>): Promise<number> {
  return withDatabaseServer(name, async (databaseServer) => {
    parseConfig(readEnvironment());
    await migrate({ ownerUrl: databaseServer.ownerUrl, directory: MIGRATIONS });
    return work(databaseServer.ownerUrl);
  });
}

function contentsOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}.`);
  }
}
