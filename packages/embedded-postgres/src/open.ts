// The embedded PostgreSQL. Its server processes continue when their owner is killed. The next owner uses them again.
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Log } from './log.ts';
import { type Account, chooseAccount } from './account.ts';
import { type Binaries, prepareBinaries } from './binaries.ts';
import { removeUnfinished } from './build-atomically.ts';
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
  /** The name of this process for others that want to own the server. PostgreSQL stores 63 bytes of it. */
  applicationName: string;
  /** `required`: become the owner, or fail. `if-free`: become the owner, or share the server with its owner. */
  lock: 'required' | 'if-free';
  /** For how many milliseconds `required` waits for an owner that is ending. Default: 5000. */
  lockWaitMs?: number;
  log: Log;
}

export interface EmbeddedServer {
  /** The URL of the database `phial` for the superuser, with the password. */
  url: string;
  /** The same URL for the role of the service. */
  serviceUrl: string;
  owned: boolean;
  /** Closes the connection. The owner also shuts the server down. */
  stop: () => Promise<void>;
  /**
   * Resolves if the server ends and nobody has called `stop`. The program should then end too. The next start recovers
   * the database.
   */
  lost: Promise<Error>;
}

interface Installation {
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
 * Makes the database files if there are none. Starts PostgreSQL, or connects to the running one, and becomes its owner.
 * Throws AlreadyServed if another process is the owner, and EmbeddedError if PostgreSQL is unusable.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { log } = options;
  const dataDir = path.resolve(options.dataDir);
  const account = chooseAccount(dataDir);
  await prepareDataDir(dataDir, account);
  await removeUnfinished(dataDir, log);
  const binaries = await prepareBinaries(dataDir, account);
  const cluster = await openCluster(dataDir, binaries, account);
  const installation = { cluster, binaries, account, log };
  const { connection, owned } = await connectAndLock(installation, options);
  return serve(installation, connection, owned);
}

function serve(installation: Installation, connection: Connection, owned: boolean): EmbeddedServer {
  const { cluster, binaries, log } = installation;
  const { postmaster } = connection;
  const stopOnce = async (): Promise<void> => {
    const stillOwned = owned && !connection.isLost();
    connection.expectEnd();
    // The connection holds the owner's lock, so it is closed only after the server has ended. Otherwise another process
    // could become the owner of a server that is ending.
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

/**
 * Connects to the server and takes the owner's lock. While we wait for the lock, the owner may shut the server down.
 * Then everything begins again.
 */
async function connectAndLock(
  installation: Installation,
  options: EmbeddedOptions,
): Promise<{ connection: Connection; owned: boolean }> {
  const deadline = options.lock === 'required' ? Date.now() + (options.lockWaitMs ?? 5000) : 0;
  for (;;) {
    const connection = await reachServer(installation, options.applicationName);
    try {
      const holder = await waitForOwnership(connection, deadline);
      if (holder !== null && options.lock === 'required') throw new AlreadyServed(options.dataDir, holder);
      await createDatabase(connection.client);
      await ensureServiceRole(connection.client, servicePassword(installation.cluster.password));
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

/**
 * Creates the database if it is missing. PostgreSQL has no `create database if not exists`, and another process may
 * create it at the same time.
 */
async function createDatabase(client: Client): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
  if (rowCount !== 0) return;
  try {
    await client.query(`create database ${database}`);
  } catch (error) {
    if (!hasCode(error, '42P04', '23505')) throw error;
  }
}

/**
 * Connects to the running server, or starts one. Waits for a recovery, for a shutdown, and for the last processes of an
 * ended server.
 */
async function reachServer(installation: Installation, applicationName: string): Promise<Connection> {
  const { cluster, log } = installation;
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
      const connection = await startAndConnect(installation, applicationName);
      if (connection !== null) return connection;
      await setAsideDeadPidFile(cluster);
    }
    if (Date.now() > deadline) throw explainSilence(cluster, running, reached);
    await sleep(retryMs);
  }
}

/**
 * Starts the server and connects. Returns null if a running server uses the files, or if processes of an ended server
 * are left.
 */
async function startAndConnect(installation: Installation, applicationName: string): Promise<Connection | null> {
  const { cluster, binaries, account, log } = installation;
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
    `The files in ${cluster.data} belong to ${who}, which does not answer` +
      `${reached === null ? '' : ` (${reached.message})`}. End that process; if it is not a PostgreSQL, ` +
      `remove ${cluster.data}/postmaster.pid.`,
    { cause: reached },
  );
}
