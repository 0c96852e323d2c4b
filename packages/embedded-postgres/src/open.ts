// The embedded PostgreSQL: real server processes that outlive a killed owner and are found again by the next start.
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Log } from './log.ts';
import { type Account, chooseAccount } from './account.ts';
import { type Binaries, prepareBinaries } from './binaries.ts';
import { removeUnfinished } from './build-in-place.ts';
import { type Cluster, openCluster, superuser } from './cluster.ts';
import { type Connection, connect, isInTransition, isUnreachable } from './connection.ts';
import { prepareDataDir } from './data-dir.ts';
import { AlreadyServed, EmbeddedError, hasCode } from './errors.ts';
import { takeOwnership } from './ownership.ts';
import { ensureServiceRole, servicePassword, serviceRole } from './service-role.ts';
import {
  findPostmasterOrNull,
  type Postmaster,
  setAsideDeadPidFile,
  startPostmaster,
  stopPostmaster,
} from './postmaster.ts';

export interface EmbeddedOptions {
  dataDir: string;
  /** Tells others who holds the server; the first 63 bytes count. */
  applicationName: string;
  /** `required`: become the owner or fail. `if-free`: become the owner, or work beside the one there is. */
  lock: 'required' | 'if-free';
  /** How long `required` waits for an owner that is about to end; 5000 by default. */
  lockWaitMs?: number;
  log: Log;
}

export interface EmbeddedServer {
  /** Connection URL of the database `phial` as superuser; it contains the password. */
  url: string;
  /** The same as the plain role that the service logs in as. */
  serviceUrl: string;
  owned: boolean;
  /** The owner shuts the server down; anyone else only disconnects. */
  stop: () => Promise<void>;
  /** Resolves when the server went away without `stop`: the program should end, the next start recovers. */
  lost: Promise<Error>;
}

interface Place {
  cluster: Cluster;
  binaries: Binaries;
  account: Account | null;
  log: Log;
}

const database = 'phial';
const lockPollMs = 20;
const retryMs = 50;
const answerWithinMs = 60_000;

/**
 * Makes the database files if there are none, starts PostgreSQL or attaches to the one that runs, and takes its
 * ownership. Throws AlreadyServed when another process owns it, EmbeddedError when it cannot be used.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { log } = options;
  const dataDir = path.resolve(options.dataDir);
  const account = chooseAccount(dataDir);
  await prepareDataDir(dataDir, account);
  await removeUnfinished(dataDir, log);
  const binaries = await prepareBinaries(dataDir, account);
  const cluster = await openCluster(dataDir, binaries, account);
  const place = { cluster, binaries, account, log };
  const { connection, owned } = await connectAndLock(place, options);
  return serve(place, connection, owned);
}

function serve(place: Place, connection: Connection, owned: boolean): EmbeddedServer {
  const { cluster, binaries, log } = place;
  const { postmaster } = connection;
  const stopOnce = async (): Promise<void> => {
    const stillOwned = owned && !connection.isLost();
    connection.expectEnd();
    // The connection stays open meanwhile, so that nobody else becomes the owner of a server that is ending.
    if (stillOwned) await stopPostmaster(cluster, postmaster, binaries, log);
    await connection.close();
  };
  let stopped: Promise<void> | null = null;
  const urlOf = (role: string, password: string): string =>
    `postgres://${role}:${password}@127.0.0.1:${postmaster.port}/${database}?sslmode=disable`;
  return {
    url: urlOf(superuser, cluster.password),
    serviceUrl: urlOf(serviceRole, servicePassword(cluster.password)),
    owned,
    stop: () => (stopped ??= stopOnce()),
    lost: connection.lost,
  };
}

/** The owner may shut the server down while we wait for it: then everything begins anew. */
async function connectAndLock(
  place: Place,
  options: EmbeddedOptions,
): Promise<{ connection: Connection; owned: boolean }> {
  const deadline = options.lock === 'required' ? Date.now() + (options.lockWaitMs ?? 5000) : 0;
  for (;;) {
    const connection = await reachServer(place, options.applicationName);
    try {
      const holder = await waitForOwnership(connection, deadline);
      if (holder !== null && options.lock === 'required') throw new AlreadyServed(options.dataDir, holder);
      await createDatabase(connection.client);
      await ensureServiceRole(connection.client, servicePassword(place.cluster.password));
      return { connection, owned: holder === null };
    } catch (error) {
      const serverWentAway = connection.isLost() || isUnreachable(error);
      await connection.close().catch(() => undefined);
      if (!serverWentAway) throw error;
    }
  }
}

async function waitForOwnership({ client }: Connection, deadline: number): Promise<string | null> {
  for (;;) {
    const holder = await takeOwnership(client);
    if (holder === null || Date.now() >= deadline) return holder;
    await sleep(lockPollMs);
  }
}

/** PostgreSQL knows no `create database if not exists`, and another start may be making it now. */
async function createDatabase(client: Client): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
  if (rowCount !== 0) return;
  try {
    await client.query(`create database ${database}`);
  } catch (error) {
    if (!hasCode(error, '42P04', '23505')) throw error;
  }
}

/** Attaches to the running server, or starts one; waits through a recovery, a shutdown and left-over processes. */
async function reachServer(place: Place, applicationName: string): Promise<Connection> {
  const { cluster, log } = place;
  let deadline = Date.now() + answerWithinMs;
  for (;;) {
    const running = await findPostmasterOrNull(cluster);
    const reached = running === null ? null : await connect(cluster, running, applicationName);
    if (reached !== null && !(reached instanceof Error)) {
      log.info({ pid: running?.pid, port: running?.port }, 'attached to the running PostgreSQL');
      return reached;
    }
    if (reached !== null && isInTransition(reached)) {
      deadline = Date.now() + answerWithinMs;
    } else {
      const connection = await startAndConnect(place, applicationName);
      if (connection !== null) return connection;
      await setAsideDeadPidFile(cluster);
    }
    if (Date.now() > deadline) throw explainSilence(cluster, running, reached);
    await sleep(retryMs);
  }
}

/** Null when the files are held by a server that runs, or whose last processes have not ended yet. */
async function startAndConnect(place: Place, applicationName: string): Promise<Connection | null> {
  const { cluster, binaries, account, log } = place;
  const outcome = await startPostmaster(cluster, binaries, account, log);
  if (typeof outcome === 'string') return null;
  const { postmaster } = outcome;
  log.info({ pid: postmaster.pid, port: postmaster.port, user: account?.name }, 'started PostgreSQL');
  const reached = await connect(cluster, postmaster, applicationName);
  if (!(reached instanceof Error)) return reached;
  if (isUnreachable(reached)) return null;
  await stopPostmaster(cluster, postmaster, binaries, log);
  throw new EmbeddedError(`PostgreSQL refuses the password in ${cluster.directory}/password: ${reached.message}.`, {
    cause: reached,
  });
}

function explainSilence(cluster: Cluster, running: Postmaster | null, reached: Error | null): EmbeddedError {
  const who = running === null ? 'another PostgreSQL' : `process ${running.pid}`;
  return new EmbeddedError(
    `The files in ${cluster.data} are held by ${who}, which does not answer` +
      `${reached === null ? '' : ` (${reached.message})`}. End that process; if it is not a PostgreSQL, ` +
      `remove ${cluster.data}/postmaster.pid.`,
    { cause: reached },
  );
}
