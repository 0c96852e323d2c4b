// The environment of every delivery benchmark: its own PostgreSQL and sandbox, the sink (an endpoint), and the program
// in processes.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { openEmbedded } from '@phial/embedded-postgres/open';
import { BatchScheduler } from '../../src/batch-scheduler.ts';
import { OPTIONS } from '../../src/config/option-table.ts';
import { parseConfig } from '../../src/config/options.ts';
import type { Ctx } from '../../src/context.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { MIGRATIONS, SANDBOX_SEEDS } from '../../src/db/database-server.ts';
import { seed } from '../../src/db/seed.ts';
import { openLog } from '../../src/log.ts';
import { PACKAGE_ROOT } from '../../src/package-root.ts';
import { claimCipher } from '../../src/privacy/claim-cipher.ts';
import { bootstrapSandbox } from '../../src/tenancy/orgs/bootstrap.ts';
import { subscriptions } from '../../src/subscriptions.ts';
import { describeDatabase, describeMachine } from '../describe-machine.ts';
import { findFreePort } from '../free-port.ts';
import { makeFolder, removeFolder } from '../measured-program.ts';
import { makeEndpoints, type Endpoint } from './generator.ts';
import { startSink, type Sink } from './sink.ts';

export type Program = { pid: number; kill: () => Promise<void>; stop: () => Promise<void> };

export type Stage = {
  /** The context of the generator, which has its own connections. */
  ctx: Ctx;
  sink: Sink;
  /** A connection of the owner of all tables. */
  owner: pg.Client;
  ownerUrl: string;
  endpoints: (count: number) => Promise<Endpoint[]>;
  /**
   * Starts the program with the default of each option that `env` does not set, and with the Node flags of this
   * process, such as --cpu-prof. Resolves when the program is ready.
   */
  start: (role: 'serve' | 'worker', env?: Record<string, string>) => Promise<Program>;
};

const READY_WITHIN_MS = 30_000;
/** Only the generator makes many teams. The measured program has the default of this option. */
const MANY_TEAMS = { PHIAL_TEAMS_PER_ORG: '10000' };

/** Prints the environment, runs `measure` and removes everything again. */
export async function onStage(measure: (stage: Stage) => Promise<boolean>): Promise<boolean> {
  console.log(describeMachine());
  const folder = makeFolder();
  const log = openLog('silent');
  const server = await openEmbedded({
    dataDir: join(folder, 'data'),
    applicationName: 'phial bench',
    lock: 'required',
    log,
  });
  const programs = new Set<Program>();
  const sink = await startSink();
  const owner = new pg.Client({ connectionString: server.url });
  const database = openDatabase({ url: server.serviceUrl, poolSize: 8, role: 'phial_app', log });
  try {
    console.log(await describeDatabase(server.url));
    await migrate({ ownerUrl: server.url, directory: MIGRATIONS });
    await seed({ ownerUrl: server.url, directory: SANDBOX_SEEDS });
    await owner.connect();
    await useLog(owner);
    const { config, secrets } = parseConfig(MANY_TEAMS);
    const cipher = await claimCipher(database.db, config, secrets);
    const ctx: Ctx = { config, db: database.db, log, cipher, batches: new BatchScheduler(1), subscriptions };
    const first = await bootstrapSandbox(ctx, join(folder, 'data'));
    const orgId = first?.credentials.org_id as string;
    return await measure({
      ctx,
      sink,
      owner,
      ownerUrl: server.url,
      endpoints: (count) => makeEndpoints(ctx, orgId, sink, count),
      start: async (role, env = {}) => {
        const urls = { DATABASE_URL: server.serviceUrl, PHIAL_OWNER_DATABASE_URL: server.url };
        const program = await startProgram(folder, role, { ...urls, ...env });
        programs.add(program);
        return program;
      },
    });
  } finally {
    for (const program of programs) await program.stop();
    await database.close();
    await owner.end();
    await sink.close();
    await server.stop();
    removeFolder(folder);
  }
}

const LOG_FILES = 60;

/**
 * Makes 1 GB of WAL files (of the write-ahead log). A server that has run for some time has such files and uses them
 * again. On a new server, the commit at the end of each file, about one in a thousand events, waits 50 ms until the
 * next file is made and filled with zeroes.
 */
async function useLog(owner: pg.Client): Promise<void> {
  await owner.query('create table log_filler (n integer)');
  for (let n = 0; n < LOG_FILES; n += 1) {
    await owner.query('insert into log_filler values (1)');
    await owner.query('select pg_switch_wal()');
  }
  await owner.query('drop table log_filler');
  await owner.query('checkpoint');
}

async function startProgram(folder: string, role: string, env: Record<string, string>): Promise<Program> {
  const output = openSync(join(folder, 'log'), 'a');
  const defaults = Object.fromEntries(Object.keys(OPTIONS).map((name) => [name, '']));
  const metricsPort = await findFreePort();
  const ports = { PORT: String(await findFreePort()), PHIAL_METRICS_PORT: String(metricsPort) };
  const child = spawn(process.execPath, [...process.execArgv, join(PACKAGE_ROOT, 'bin/phial.mjs'), role], {
    cwd: PACKAGE_ROOT,
    detached: true,
    stdio: ['ignore', output, output],
    env: { ...process.env, ...defaults, ...ports, PHIAL_DATA_DIR: join(folder, 'data'), ...env },
  });
  closeSync(output);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const deadline = performance.now() + READY_WITHIN_MS;
  // The port opens when everything else has started.
  while (!(await isListening(metricsPort))) {
    if (hasEnded(child) || performance.now() > deadline)
      throw new Error(`The program did not get ready:\n${readFileSync(join(folder, 'log'), 'utf8').slice(-2_000)}`);
    await wait(10);
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!hasEnded(child)) child.kill(signal);
    await ended;
  };
  return { pid: child.pid as number, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
