import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig, ConfigError, type Config, type Secrets } from '../../config/options.ts';
import { readEnvironment, type Env } from '../../config/read-environment.ts';
import { findDataDir, openDatabaseServer } from '../../db/database-server.ts';
import { openLog } from '../../log.ts';
import { checkDatabase } from './check-database.ts';
import { checkDisks } from './check-disks.ts';
import { checkMail, checkService } from './check-reach.ts';
import { baseUrlHere } from '../find-service.ts';
import { findingsOf, renderFindings, type Finding } from '../finding.ts';

/** Checks the deployment and changes nothing. Returns 1 if there is a problem, otherwise 0. */
export async function doctorCommand({ json }: { json: boolean }): Promise<number> {
  const findings = await examine(readEnvironment());
  console.log(json ? JSON.stringify({ findings }, null, 2) : renderFindings(findings));
  return findings.some(({ state }) => state === 'problem') ? 1 : 0;
}

async function examine(env: Env): Promise<Finding[]> {
  const options = findingsOf('options');
  let read: { config: Config; secrets: Secrets };
  try {
    read = parseConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const mend = 'docs/operate/options.md lists all options.';
    return [
      ...error.problems.map((problem) => options.problem(problem, mend)),
      findingsOf('the rest').skipped('checked once the options are right'),
    ];
  }
  const { config, secrets } = read;
  return [
    options.fine(`${config.environment}, region ${config.region}`),
    ...(await checkStorage(config, secrets)),
    await checkService(baseUrlHere(env)),
    await checkMail(config),
  ];
}

/** Checks the database and the disks. The embedded server is started for it, unless it has never run. */
async function checkStorage(config: Config, secrets: Secrets): Promise<Finding[]> {
  const database = findingsOf('database');
  const { dataDir } = findDataDir(config, secrets);
  const disks = (): Promise<Finding[]> => checkDisks(config, dataDir);
  if (!secrets.databaseUrl && !existsSync(join(dataDir, 'postgres')))
    return [database.skipped(`the first start makes it in ${dataDir}`), ...(await disks())];
  try {
    const server = await openDatabaseServer({
      config,
      secrets,
      log: openLog('silent'),
      applicationName: `phial doctor pid=${process.pid}`,
      lock: 'if-free',
    });
    try {
      return [...(await checkDatabase(config, secrets, server)), ...(await disks())];
    } finally {
      await server.close();
    }
  } catch (error) {
    const mend = 'Check the address, the password, the firewall and whether PostgreSQL runs.';
    return [database.problem((error as Error).message, mend), ...(await disks())];
  }
}
