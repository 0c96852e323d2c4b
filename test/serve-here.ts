// Starts the whole service without a process of its own: what `phial serve` runs between its start and its stop.
import { join } from 'node:path';
import { parseConfig } from '../src/config/options.ts';
import { openDatabaseServer } from '../src/db/database-server.ts';
import { openLog } from '../src/log.ts';
import { startService, type Role } from '../src/serve.ts';
import { findFreePort } from '../bench/free-port.ts';
import { makeFolder } from './program.ts';

type Start = { env: { DATABASE_URL: string } & Record<string, string>; role?: Role; dataDir?: string | undefined };

export type Served = { baseUrl: string; dataDir: string; stop: () => Promise<void> };

/** Returns once it is ready. The caller stops it. `serve` of program.ts is for what a process does or prints. */
export async function serveHere({ env, role = 'serve', dataDir = join(makeFolder(), 'data') }: Start): Promise<Served> {
  const port = await findFreePort();
  const baseUrl = `http://localhost:${port}`;
  const options = { PORT: String(port), PHIAL_DATA_DIR: dataDir, PHIAL_LOG_LEVEL: 'silent', ...env };
  const { config, secrets } = parseConfig(options);
  const log = openLog(config.logLevel);
  const on = { config, secrets, log };
  const databaseServer = await openDatabaseServer({ ...on, applicationName: `phial ${role} test`, lock: 'required' });
  const service = await startService({ ...on, role, databaseServer });
  return {
    baseUrl,
    dataDir,
    stop: async () => {
      await service.stop();
      await databaseServer.close();
    },
  };
}
