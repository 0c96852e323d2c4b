import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Runner } from 'graphile-worker';
import { measure, serveApi } from './api.ts';
import { listen, makeCtx, openApiPool, openDeliverer, openSeparatePools, type OnDatabase } from './assemble.ts';
import type { Config, Secrets } from './config/options.ts';
import { portsOf, refuseTakenPorts } from './config/ports.ts';
import type { Ctx } from './context.ts';
import type { Listener } from './db/listener.ts';
import { acrossTeams } from './db/session/bind.ts';
import type { Deliverer } from './delivery/deliverer.ts';
import { migrateAtStart } from './db/migrate-at-start.ts';
import { openDatabase, type Database } from './db/open-database.ts';
import { SANDBOX_SEEDS, type DatabaseServer } from './db/database-server.ts';
import { refuseOwnerLogin, refusePrivilegedLogin } from './db/production.ts';
import { seed } from './db/seed.ts';
import { reclaimQueues } from './delivery/queues/queue-leases.ts';
import { prepareDrain } from './http/drain.ts';
import { addProcessMetrics, openMetrics, registerMetrics, type Metrics } from './metrics.ts';
import { startStreaming, type Streaming } from './pipelines/etl/streaming/start-streaming.ts';
import { unlockAbandonedJobs } from './jobs/unlock.ts';
import { runJobs } from './jobs/run-jobs.ts';
import { startHl7, type Hl7 } from './labs/laboratories/hl7/start-hl7.ts';
import type { Logger } from './log.ts';
import { LongPolls, MAX_POLLS_OF_ORG } from './long-polls.ts';
import { claimCipher } from './privacy/claim-cipher.ts';
import { announceProcess, type Presence } from './privacy/processes.ts';
import { bootstrapSandbox, type FirstKeys } from './tenancy/orgs/bootstrap.ts';
import { VERSION } from './package-root.ts';
import { registerProbes } from './system/probes.ts';
import { openTraces } from './traces/open-traces.ts';
import type { Traces } from './traces/traces.ts';

/**
 * The parts that a process runs: `serve` runs both the API and the worker. Any number of api and worker processes can
 * share one database.
 */
export type Role = 'serve' | 'api' | 'worker';

export type Service = {
  /** The first keys of a sandbox, if its data directory has them. */
  firstKeys: FirstKeys | null;
  /** The URLs with the ports that are actually used. Null for a part that does not listen. */
  listensAt: { api: string | null; metrics: string | null };
  /** Finishes requests and deliveries, releases leases, and closes everything that this service has opened. */
  stop: () => Promise<void>;
};

type Options = { role: Role; config: Config; secrets: Secrets; databaseServer: DatabaseServer; log: Logger };

/** Starts the service with an open database server. It migrates the database, and then runs the parts of the role. */
export async function startService(options: Options): Promise<Service> {
  const { databaseServer, log } = options;
  const config = {
    ...options.config,
    uploadDir: options.config.uploadDir ?? join(databaseServer.dataDir, 'uploads'),
    storage: { ...options.config.storage, databaseDir: databaseServer.embedded ? databaseServer.dataDir : null },
  };
  const fresh = await migrateAtStart(databaseServer, config);
  if (fresh.length > 0) log.info({ migrations: fresh.length }, 'database migrated');
  const traces = await openTraces(config, { role: options.role, version: VERSION, log });
  const on: OnDatabase = { url: databaseServer.url, limits: config.databaseLimits, traces, log };
  const running: Running = {
    stopping: new AbortController(),
    traces,
    database: openApiPool(on, config.databasePools.api),
    presence: null,
    reserved: null,
    forAnonymousCallers: null,
    api: null,
    drain: null,
    metricsServer: null,
    deliveries: null,
    deliverer: null,
    listener: null,
    forJobs: null,
    jobs: null,
    hl7: null,
    streaming: null,
  };
  try {
    const firstKeys = await start(running, on, { ...options, config });
    const listensAt = { api: addressOf(running.api), metrics: addressOf(running.metricsServer) };
    return { firstKeys, listensAt, stop: () => stopInOrder(running, config.drainSeconds * 1000) };
  } catch (error) {
    // We close everything that is open. Otherwise it would keep the process alive after a failed start, for example if
    // a port is in use.
    await stopInOrder(running, 0).catch((failure: unknown) =>
      log.error({ err: failure }, 'the failed start was not undone'),
    );
    throw error;
  }
}

function addressOf(server: FastifyInstance | null): string | null {
  const taken = server?.server.address();
  if (!taken || typeof taken === 'string') return null;
  return `http://${taken.family === 'IPv6' ? `[${taken.address}]` : taken.address}:${taken.port}`;
}

/** Everything that is open. We fill it in while we open the parts. */
type Running = {
  stopping: AbortController;
  traces: Traces | null;
  database: Database;
  /** The heartbeat of this process, with the encryption key versions that it has. */
  presence: Presence | null;
  /**
   * Connections for requests with management keys, for look-ups of keys and for /readyz. No other request uses them.
   */
  reserved: Database | null;
  forAnonymousCallers: Database | null;
  api: FastifyInstance | null;
  /** Closes the API after its running requests, or after `drainMs`. */
  drain: ((drainMs: number) => Promise<void>) | null;
  metricsServer: FastifyInstance | null;
  /** Connections of the deliverer. They are separate, so that no request waits for deliveries. */
  deliveries: Database | null;
  deliverer: Deliverer | null;
  listener: Listener | null;
  /** Connections of background jobs. Their statements may take longer. */
  forJobs: Database | null;
  jobs: Runner | null;
  /** The listener that receives messages from laboratories. */
  hl7: Hl7 | null;
  /** Streams the events of teams to the teams' brokers. */
  streaming: Streaming | null;
};

async function start(
  running: Running,
  on: OnDatabase,
  { role, config, secrets, databaseServer, log }: Options,
): Promise<FirstKeys | null> {
  const { database, stopping, traces } = running;
  const cipher = await claimCipher(database.db, config, secrets).catch((error: unknown) =>
    refuseOwnerLogin(error, databaseServer.url),
  );
  if (config.environment === 'production') await refusePrivilegedLogin(databaseServer.url);
  if (config.environment === 'sandbox') await seed({ ownerUrl: databaseServer.ownerUrl, directory: SANDBOX_SEEDS });
  const metrics = openMetrics();
  addProcessMetrics(metrics);
  const polls = new LongPolls({ maxOfOrg: MAX_POLLS_OF_ORG });
  const ctx: Ctx = {
    ...makeCtx(database, { config, log, cipher, polls, metrics, traces }),
    stopping: stopping.signal,
    outOfSpace: () => outOfSpace(running),
  };
  // We check the ports before we make the first keys. If the start failed after that, nobody would ever see the keys.
  await refuseTakenPorts(config.host, portsOf(role, config));
  running.presence = await announceProcess(ctx, role);
  const firstKeys = config.environment === 'sandbox' ? await bootstrapSandbox(ctx, databaseServer.dataDir) : null;

  if (role !== 'worker') {
    const { reserved, forAnonymousCallers } = openSeparatePools(on, database);
    Object.assign(running, { reserved, forAnonymousCallers });
    Object.assign(ctx, { reserved: reserved.db, forAnonymousCallers: forAnonymousCallers.db });
  }
  const app = role === 'worker' ? null : serveApi(ctx, metrics);
  if (app) Object.assign(running, { api: app.server, drain: prepareDrain(app.server, log) });
  if (role !== 'api') {
    if (role === 'serve' && databaseServer.embedded) await reclaimQueues(acrossTeams(ctx).db);
    const opened = openDeliverer(ctx, on, { poolSize: config.databasePools.delivery, beside: database, metrics });
    Object.assign(running, opened);
    opened.deliverer.run();
  }
  const { deliverer } = running;
  running.listener = listen(on, { app, polls, deliverer, findStreaming: () => running.streaming });
  await running.listener.ready;
  await app?.server.listen({ host: config.host, port: config.port });
  running.metricsServer = await serveMetrics(ctx, metrics);
  if (role === 'serve' && databaseServer.embedded) await unlockAbandonedJobs(ctx);
  if (role !== 'api') {
    const forJobs = openDatabase({
      ...on,
      poolSize: config.databasePools.jobs,
      role: 'phial_app',
      name: 'phial jobs',
      limits: config.jobLimits,
      beside: database,
    });
    running.forJobs = forJobs;
    running.jobs = await runJobs({ ...ctx, db: forJobs.db }, forJobs.pool);
    running.hl7 = await startHl7({ ...ctx, db: forJobs.db });
    running.streaming = startStreaming({ ...ctx, db: forJobs.db }, deliverer?.worker);
  }
  return firstKeys;
}

const outOfSpace = ({ database, reserved, forAnonymousCallers, deliveries, forJobs }: Running): boolean =>
  [database, reserved, forAnonymousCallers, deliveries, forJobs].some((open) => open?.outOfSpace());

/** Serves the metrics on a separate port. So the operator can keep clients of the API away from the metrics. */
async function serveMetrics(ctx: Ctx, metrics: Metrics): Promise<FastifyInstance | null> {
  if (ctx.config.metricsPort === null) return null;
  const server = Fastify({ logger: false });
  registerMetrics(server, metrics, () => measure(ctx, metrics));
  registerProbes(server, ctx);
  await server.listen({ host: ctx.config.host, port: ctx.config.metricsPort });
  return server;
}

/**
 * Stops everything in order: first requests, because they create background work, then this work, then the parts that
 * both need. Meanwhile the streams to brokers may finish, for at most `drainMs`. So a team's slow broker does not delay
 * the rest.
 */
async function stopInOrder(running: Running, drainMs: number): Promise<void> {
  const { stopping, presence, drain, jobs, hl7, streaming, deliverer, deliveries, forJobs } = running;
  const { metricsServer, listener, reserved, forAnonymousCallers, database, traces } = running;
  const deadline = Date.now() + drainMs;
  stopping.abort();
  const streamed = streaming?.stop(drainMs);
  await drain?.(drainMs);
  // We stop all of these at the same time. Otherwise a long job would use up the time in which deliveries may finish.
  const delivered = deliverer?.stop(Math.max(0, deadline - Date.now()));
  await Promise.all([hl7?.stop(), jobs?.stop(), delivered]);
  await streamed;
  await forJobs?.close();
  await deliveries?.close();
  await metricsServer?.close();
  await listener?.close();
  await presence?.stop();
  await reserved?.close();
  await forAnonymousCallers?.close();
  await database.close();
  await traces?.close();
}
