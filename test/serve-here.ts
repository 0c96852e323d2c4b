// Starts the whole service without a process of its own: what `phial serve` runs between its start and its stop.
import { join } from 'node:path';
import { vi } from 'vitest';
import { announce } from '../src/cli/announce.ts';
import { parseConfig } from '../src/config/options.ts';
import { openDatabaseServer } from '../src/db/database-server.ts';
import { openLog } from '../src/log.ts';
import { startService, type Role } from '../src/serve.ts';
import { findFreePort } from '../bench/free-port.ts';
import { makeFolder } from './program.ts';

/** Without DATABASE_URL the data directory gets its own PostgreSQL. */
type Start = { env?: Record<string, string>; role?: Role; dataDir?: string | undefined };

export type Served = {
  port: number;
  baseUrl: string;
  dataDir: string;
  /** The announcement of the start, and the log, which is silent by default. */
  output: () => string;
  stop: () => Promise<void>;
};

/** Returns once it is ready. The caller stops it. `serve` of program.ts is for what a process does. */
export async function serveHere({
  env = {},
  role = 'serve',
  dataDir = join(makeFolder(), 'data'),
}: Start = {}): Promise<Served> {
  const port = Number(env['PORT'] ?? (await findFreePort()));
  const baseUrl = `http://localhost:${port}`;
  const options = { PORT: String(port), PHIAL_DATA_DIR: dataDir, PHIAL_LOG_LEVEL: 'silent', ...env };
  const { config, secrets } = parseConfig(options);
  let output = '';
  const log = openLog(config.logLevel, {
    write: (line) => {
      output += line;
    },
  });
  const on = { config, secrets, log };
  const databaseServer = await openDatabaseServer({ ...on, applicationName: `phial ${role} test`, lock: 'required' });
  try {
    const service = await startService({ ...on, role, databaseServer });
    output += printed(() => announce({ role, config, databaseServer, ...service }, log));
    return {
      port,
      baseUrl,
      dataDir,
      output: () => output,
      stop: async () => {
        await service.stop();
        await databaseServer.close();
      },
    };
  } catch (error) {
    await databaseServer.close();
    throw error;
  }
}

function printed(work: () => void): string {
  const lines: string[] = [];
  const spy = vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  try {
    work();
  } finally {
    spy.mockRestore();
  }
  return lines.join('\n');
}
