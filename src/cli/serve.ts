import { readEnvironment } from '../config/environment.ts';
import { parseConfig, type Config } from '../config/options.ts';
import { credentialsFile, type Credentials } from '../credentials.ts';
import { openPlace, type Place } from '../db/place.ts';
import { openLog } from '../log.ts';
import { endOnFatalErrors } from './fatal-errors.ts';
import type { Role } from '../serve.ts';
import type { FirstKeys } from '../tenancy/orgs/bootstrap.ts';
import { noticesOn } from './notices.ts';

const PARENT_POLL_MS = 200;

/** Serves until told to stop. Returns the exit code: 0 after a clean stop, 1 when the database went away. */
export async function serveCommand(
  role: Role,
  { stopWithParent = false }: { stopWithParent?: boolean },
): Promise<number> {
  const { config, secrets } = parseConfig(readEnvironment());
  const stopAsked = waitForStop(stopWithParent);
  const log = openLog(config.logLevel);
  endOnFatalErrors(log);
  // The service's modules take as long to load as PostgreSQL takes to start: both at once halve the wait.
  const loading = import('../serve.ts');
  const place = await openPlace({
    config,
    secrets,
    log,
    applicationName: `phial ${role} pid=${process.pid} ${config.baseUrl}`,
    lock: role === 'serve' ? 'required' : 'if-free',
  });
  let reason: string;
  try {
    const { startService } = await loading;
    const service = await startService({ role, config, secrets, place, log });
    announce(role, config, place, service.firstKeys);
    const lost = place.lost.then((error) => `PostgreSQL went away: ${error.message} The next start recovers.`);
    reason = await Promise.race([stopAsked, lost]);
    log.info({ reason }, 'stopping');
    await service.stop();
  } finally {
    await place.close();
  }
  log.info('stopped');
  return reason === 'asked to' ? 0 : 1;
}

/**
 * The first signal asks; further ones are ignored, since Ctrl-C reaches this process twice: from the terminal and from npm.
 * A program that npm started ends with it: nobody could stop the one left behind.
 */
function waitForStop(stopWithParent: boolean): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve('asked to'));
    if (!stopWithParent) return;
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) resolve('asked to');
    }, PARENT_POLL_MS).unref();
  });
}

function announce(role: Role, config: Config, place: Place, firstKeys: FirstKeys | null): void {
  const lines = [
    '',
    role === 'worker'
      ? 'Phial works.'
      : `Phial serves ${config.environment} ${config.region} at ${config.baseUrl} (reference: ${config.baseUrl}/docs)`,
    place.embedded
      ? `Data: ${place.dataDir}${place.why ? ` (${place.why})` : ''}`
      : 'Data: the PostgreSQL of DATABASE_URL',
  ];
  const file = credentialsFile(place.dataDir);
  if (firstKeys?.isNew) lines.push(...firstSteps(firstKeys.credentials, file));
  else if (firstKeys) lines.push(`Keys: ${file}`);
  lines.push(...noticesOn(config, place).map((notice) => `Note: ${notice}`));
  console.log(`${lines.join('\n')}\n`);
}

function firstSteps({ base_url, org_id, team_id, team_api_key, management_key }: Credentials, file: string): string[] {
  return [
    '',
    'This sandbox is new. Its first keys, shown this once and kept in',
    `  ${file}`,
    `  org ${org_id}   team ${team_id}`,
    `  team API key    ${team_api_key}`,
    `  management key  ${management_key}`,
    '',
    'Try:',
    `  curl -s ${base_url}/v2/user -H 'x-service-api-key: ${team_api_key}' -H 'content-type: application/json' -d '{"client_user_id":"first-user"}'`,
    `  curl -s '${base_url}/v3/lab_test?collection_method=testkit' -H 'x-service-api-key: ${team_api_key}'`,
    `  curl -s ${base_url}/v1/org/${org_id}/team/${team_id}/sandbox/webhook -H 'x-management-key: ${management_key}' -H 'content-type: application/json' -d '{"url":"http://127.0.0.1:4000/hook"}'`,
  ];
}
