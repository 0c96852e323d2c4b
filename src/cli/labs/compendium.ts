import { readFileSync } from 'node:fs';
import { parseConfig } from '../../config/options.ts';
import { readEnvironment } from '../../config/read-environment.ts';
import { migrate } from '../../db/migrate.ts';
import { MIGRATIONS } from '../../db/database-server.ts';
import { ImportRefused } from '../../labs/catalogue/import/import-laboratory.ts';
import { readCompendium } from '../../labs/catalogue/import/read-csv.ts';
import { importCompendium } from '../../labs/laboratories/hl7/connections/import-compendium.ts';
import { UsageError } from '../command.ts';
import { printJson } from '../print.ts';
import { withDatabaseServer } from '../database.ts';

type Import = { lab: string; file: string; 'dry-run': 'yes' | 'no'; json: boolean };

export async function importCompendiumCommand({ lab, file, 'dry-run': dry, json }: Import): Promise<number> {
  const read = readCompendium(contentsOf(file));
  if ('problems' in read) {
    console.error(`Nothing was imported:\n${read.problems.map((problem) => `  - ${problem}`).join('\n')}`);
    return 1;
  }
  return withDatabaseServer('compendium import', async (databaseServer) => {
    parseConfig(readEnvironment());
    await migrate({ ownerUrl: databaseServer.ownerUrl, directory: MIGRATIONS });
    try {
      const dryRun = dry === 'yes';
      const changes = await importCompendium(databaseServer.ownerUrl, { slug: lab, markers: read.markers, dryRun });
      if (json) {
        printJson({ lab, markers: read.markers.length, changes, is_dry_run: dryRun });
        return 0;
      }
      for (const change of changes) console.log(change);
      const count = `Read ${read.markers.length} markers, and found ${changes.length} differences`;
      console.log(dryRun ? `${count}. Nothing was changed.` : `${count}.`);
      return 0;
    } catch (error) {
      if (!(error instanceof ImportRefused)) throw error;
      console.error(error.message);
      return 1;
    }
  });
}

function contentsOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}.`);
  }
}
