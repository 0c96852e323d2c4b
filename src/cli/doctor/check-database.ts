import pg from 'pg';
import type { Config, Secrets } from '../../config/options.ts';
import { MIGRATIONS, type DatabaseServer } from '../../db/database-server.ts';
import { readMigrationStatus } from '../../db/migration-status.ts';
import { refusePrivilegedLogin } from '../../db/production.ts';
import { findingsOf, type Finding } from '../finding.ts';
import { problemOfKeys } from '../problem-of-keys.ts';

/** Clocks may differ by this much before signatures and tokens are refused at their edges. */
const MAX_CLOCK_DIFFERENCE_MS = 2_000;
const SLOW_MS = 50;

/** Checks the reachable database: version, latency, clock, connections, migrations, keys and login. */
export async function checkDatabase(config: Config, secrets: Secrets, server: DatabaseServer): Promise<Finding[]> {
  const client = new pg.Client({ connectionString: server.ownerUrl, application_name: 'phial doctor' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const facts = await readFacts(client);
    const migrations = await checkMigrations(client);
    return [
      describe(facts, server),
      checkClock(facts),
      checkConnections(facts, config),
      migrations,
      ...(migrations.state === 'problem' ? [] : [await checkKeys(client, config, secrets, server)]),
      ...(config.environment === 'production' && !server.embedded ? [await checkLogin(server)] : []),
    ];
  } finally {
    await client.end();
  }
}

type Facts = { version: number; aheadMs: number; latencyMs: number; used: number; allowed: number };

/** The first round trip reads catalogues, and another program may delay one. The fastest shows the distance. */
const ROUND_TRIPS = 3;

async function readFacts(client: pg.Client): Promise<Facts> {
  const read: Facts[] = [];
  for (let at = 0; at < ROUND_TRIPS; at += 1) read.push(await readFactsOnce(client));
  return read.toSorted((one, other) => one.latencyMs - other.latencyMs)[0] as Facts;
}

async function readFactsOnce(client: pg.Client): Promise<Facts> {
  const begun = performance.now();
  const sent = Date.now();
  const { rows } = await client.query<{ now: number; version: number; used: number; allowed: number }>(`
    select extract(epoch from clock_timestamp())::float8 * 1000 as now,
           current_setting('server_version_num')::int / 10000 as version,
           -- Of other logins, only their role is visible. A session of a role is one of a client, as far as we can see.
           (select count(*)::int from pg_stat_activity
             where coalesce(backend_type, 'client backend') = 'client backend' and usesysid is not null) as used,
           current_setting('max_connections')::int
             - current_setting('superuser_reserved_connections')::int as allowed`);
  const latencyMs = performance.now() - begun;
  const { now, ...rest } = rows[0] as { now: number; version: number; used: number; allowed: number };
  return { ...rest, latencyMs, aheadMs: now - (sent + latencyMs / 2) };
}

function describe({ version, latencyMs }: Facts, { embedded }: DatabaseServer): Finding {
  const { fine, warning, problem } = findingsOf('database');
  if (version < 15) return problem(`PostgreSQL ${version}`, 'Phial needs PostgreSQL 15 or newer. Upgrade it.');
  const found = `PostgreSQL ${version}${embedded ? ', embedded' : ''}, answers in ${latencyMs.toFixed(1)} ms`;
  if (latencyMs <= SLOW_MS) return fine(found);
  return warning(found, 'Run Phial near its database. A request makes one to five round trips.');
}

function checkClock({ aheadMs }: Facts): Finding {
  const { fine, warning } = findingsOf('clock');
  const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1);
  if (Math.abs(aheadMs) <= MAX_CLOCK_DIFFERENCE_MS) return fine(`differs by ${seconds} s from that of the database`);
  return warning(
    `is ${seconds} s ${aheadMs > 0 ? 'behind' : 'ahead of'} that of the database`,
    'Keep both machines in time by NTP. Customers refuse webhooks that were signed five minutes ago.',
  );
}

function checkConnections({ used, allowed }: Facts, { databasePools }: Config): Finding {
  const { fine, warning } = findingsOf('connections');
  const { api, delivery, jobs } = databasePools;
  // Nine are reserved for management keys, key look-ups and callers without a key; one listens.
  const needed = api + delivery + jobs + 10;
  const found = `${used} of ${allowed} are used, and a process opens up to ${needed}`;
  if (used + needed <= allowed) return fine(found);
  return warning(found, 'Raise max_connections of PostgreSQL, or lower PHIAL_DATABASE_POOL_SIZE.');
}

async function checkMigrations(client: pg.Client): Promise<Finding> {
  const { fine, warning, problem } = findingsOf('migrations');
  const { applied, pending, differences } = await readMigrationStatus(client, MIGRATIONS);
  if (differences.length > 0)
    return problem(differences.join(' '), 'Start the release that migrated this database last, or a newer one.');
  if (applied === 0) return warning('the database is empty', 'phial migrate, or the next start, makes the tables.');
  if (pending.length === 0) return fine(`all ${applied} are applied`);
  return warning(
    `${pending.length} are not applied, the first is ${pending[0]}`,
    'docs/operate/upgrade.md has the steps. phial migrate, or the next start, applies them.',
  );
}

/** Before the migrations there is nothing to check, and a connection of the service cannot record its server. */
async function checkKeys(
  client: pg.Client,
  config: Config,
  secrets: Secrets,
  server: DatabaseServer,
): Promise<Finding> {
  const { fine, skipped, problem } = findingsOf('keys');
  const { rows } = await client.query<{ made: boolean }>(
    `select to_regclass('public.deployment') is not null and to_regproc('public.note_cluster') is not null as made`,
  );
  if (!rows[0]?.made) return skipped('the first start claims the database');
  const found = await problemOfKeys(config, secrets, server.url);
  if (found === null) return fine('belong to this database');
  return problem(found, 'docs/operate/rotate-keys.md and troubleshoot.md describe keys.');
}

async function checkLogin({ url }: DatabaseServer): Promise<Finding> {
  const { fine, problem } = findingsOf('login');
  try {
    await refusePrivilegedLogin(url);
    return fine('row-level security restricts it');
  } catch (error) {
    const [message = '', ...statements] = (error as Error).message.split('\n');
    return problem(message, statements.map((line) => line.trim()).join(' '));
  }
}
