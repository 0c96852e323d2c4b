import type { Config } from '../config/options.ts';
import { credentialsFile, type Credentials } from '../first-keys-file.ts';
import type { DatabaseServer } from '../db/database-server.ts';
import type { Logger } from '../log.ts';
import type { Role, Service } from '../serve.ts';
import { noticesOn } from './notices.ts';

type Started = Pick<Service, 'firstKeys' | 'listensAt'> & {
  role: Role;
  config: Config;
  databaseServer: DatabaseServer;
};

/** Announces that the service runs, with its URLs: as text for a person, or as log lines. */
export function announce(started: Started, log: Logger): void {
  if (started.config.logFormat === 'json') announceInLog(started, log);
  else console.log(`${wordsOf(started).join('\n')}\n`);
}

/** Announces in the log, without the first keys, because more people can read a log than a terminal. */
function announceInLog({ role, config, databaseServer, firstKeys, listensAt }: Started, log: Logger): void {
  const { environment, region, baseUrl } = config;
  const data = databaseServer.embedded ? databaseServer.dataDir : 'DATABASE_URL';
  log.info({ role, environment, region, base_url: baseUrl, ...listensAt, data }, 'started');
  if (firstKeys?.isNew) {
    log.info(
      { file: credentialsFile(databaseServer.dataDir) },
      'this sandbox is new, and its first keys are in a file',
    );
  }
  for (const notice of noticesOn(config, databaseServer))
    log.warn({ notice }, 'options that an operator should know of');
}

function wordsOf({ role, config, databaseServer, firstKeys, listensAt }: Started): string[] {
  const file = credentialsFile(databaseServer.dataDir);
  return [
    '',
    role === 'worker'
      ? 'Phial works.'
      : `Phial serves ${config.environment} ${config.region} at ${config.baseUrl} (reference: ${config.baseUrl}/docs)`,
    ...(listensAt.api ? [`Listening on ${listensAt.api}`] : []),
    ...(listensAt.metrics ? [`Metrics and health on ${listensAt.metrics}`] : []),
    databaseServer.embedded
      ? `Data: ${databaseServer.dataDir}${databaseServer.why ? ` (${databaseServer.why})` : ''}`
      : 'Data: the PostgreSQL of DATABASE_URL',
    ...(firstKeys?.isNew ? firstSteps(firstKeys, file) : firstKeys ? [`Keys: ${file}`] : []),
    ...noticesOn(config, databaseServer).map((notice) => `Note: ${notice}`),
  ];
}

function firstSteps({ credentials, signInUrl }: NonNullable<Service['firstKeys']>, file: string): string[] {
  const { base_url, org_id, team_id, team_api_key, management_key }: Credentials = credentials;
  return [
    '',
    'This sandbox is new. Its first keys, shown this once and kept in',
    `  ${file}`,
    `  org ${org_id}   team ${team_id}`,
    `  team API key    ${team_api_key}`,
    `  management key  ${management_key}`,
    '',
    'Open this link to sign in to the dashboard. It works once, within an hour; `phial sign-in-link` prints another:',
    `  ${signInUrl}`,
    '',
    'Try:',
    `  curl -s ${base_url}/v2/user -H 'x-service-api-key: ${team_api_key}' -H 'content-type: ` +
      `application/json' -d '{"client_user_id":"first-user"}'`,
    `  curl -s '${base_url}/v3/lab_test?collection_method=testkit' -H 'x-service-api-key: ${team_api_key}'`,
    `  curl -s ${base_url}/v1/org/${org_id}/team -H 'x-management-key: ${management_key}'`,
  ];
}
