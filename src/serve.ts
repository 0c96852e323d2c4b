import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Runner } from 'graphile-worker';
import { measure, serveApi } from './api.ts';
import { BulkWork } from './bulk-work.ts';
import type { Config, Secrets } from './config/options.ts';
import { portsOf, refuseTakenPorts } from './config/ports.ts';
import type { Ctx } from './context.ts';
import { acrossTeams } from './db/session/bind.ts';
import { openListener, type Listener } from './db/listen.ts';
import { migrate } from './db/migrate.ts';
import { openDatabase, type Database } from './db/open.ts';
import { MIGRATIONS, SANDBOX_SEEDS, type Place } from './db/place.ts';
import { refuseStrongLogin } from './db/production.ts';
import { seed } from './db/seed.ts';
import { RECEIVERS_CHANNEL } from './delivery/receiver-cache.ts';
import { takeBackLanes } from './delivery/lanes/lanes.ts';
import { REPLAYS_CHANNEL } from './delivery/replays/tell.ts';
import { DELIVERIES_CHANNEL } from './events/publish.ts';
import { EVENTS_CHANNEL } from './events/notify-readers.ts';
import { prepareDrain } from './http/drain.ts';
import { CONNECTIONS_OF_STRANGERS, RESERVED_CONNECTIONS } from './http/limits/request-permits.ts';
import { countIn, openMetrics, registerMetrics, type Metrics } from './http/metrics.ts';
import { startStreaming, type Streaming } from './pipelines/etl/streaming/start-streaming.ts';
import { unlockAbandonedJobs } from './jobs/unlock.ts';
import { runJobs } from './jobs/run.ts';
import { startHl7, type Hl7 } from './labs/laboratories/hl7/start.ts';
import type { Logger } from './log.ts';
import { LongPolls, MOST_POLLS_OF_ORG } from './long-polls.ts';
import { claimCipher } from './privacy/claim-cipher.ts';
import { announceProcess, type Presence } from './privacy/processes.ts';
import { bootstrapSandbox, type FirstKeys } from './tenancy/orgs/bootstrap.ts';
import { USER_AGENT } from './package-root.ts';
import { Deliverer } from './delivery/deliver.ts';
import { deploymentPolicy } from './outbound/deployment-policy.ts';
import { registerProbes } from './system/probes.ts';
import { wings } from './wings.ts';
import { openSender } from './delivery/sending/send.ts';

/** `serve` is both; any number of api and worker processes may share one database. */
export type Role = 'serve' | 'api' | 'worker';

export type Service = {
  /** Of a sandbox whose data directory keeps them. */
  firstKeys: FirstKeys | null;
  /** Addresses with the ports that were really taken; null where there is none. */
  listensAt: { api: string | null; metrics: string | null };
  /** Finishes requests and deliveries, gives leases back and closes everything that was opened here. */
  stop: () => Promise<void>;
};

type Options = { role: Role; config: Config; secrets: Secrets; place: Place; log: Logger };

/** Starts the service on a database that is open: migrates, then serves and works as its role says. */
export async function startService(options: Options): Promise<Service> {
  const { place, log } = options;
  const config = {
    ...options.config,
    uploadDir: options.config.uploadDir ?? join(place.dataDir, 'uploads'),
    storage: { ...options.config.storage, databaseDir: place.embedded ? place.dataDir : null },
  };
  const fresh = await migrate({ ownerUrl: place.ownerUrl, directory: MIGRATIONS });
  if (fresh.length > 0) log.info({ migrations: fresh.length }, 'database migrated');
  const running: Running = {
    stopping: new AbortController(),
    database: openDatabase({
      url: place.url,
      poolSize: config.databasePools.api,
      role: 'phial_app',
      name: 'phial api',
      limits: config.databaseLimits,
      log,
    }),
    presence: null,
    reserved: null,
    ofStrangers: null,
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
    const firstKeys = await start(running, { ...options, config });
    const listensAt = { api: addressOf(running.api), metrics: addressOf(running.metricsServer) };
    return { firstKeys, listensAt, stop: () => stopInOrder(running, config.drainSeconds * 1000) };
  } catch (error) {
    // Whatever is open by now would keep the process alive, with a port that is taken for instance.
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

/** What is open, filled in as it opens. */
type Running = {
  stopping: AbortController;
  database: Database;
  /** Tells the others that this process lives, and which keys it has. */
  presence: Presence | null;
  /** Connections of the API that no other request takes away from management keys, look-ups of keys and /readyz. */
  reserved: Database | null;
  /** Connections of requests that need no key. */
  ofStrangers: Database | null;
  api: FastifyInstance | null;
  /** Closes the API. */
  drain: ((drainMs: number) => Promise<void>) | null;
  metricsServer: FastifyInstance | null;
  /** Connections of the deliverer alone: what it waits for makes no request wait. */
  deliveries: Database | null;
  deliverer: Deliverer | null;
  listener: Listener | null;
  /** Connections of background work alone, whose statements may take longer. */
  forJobs: Database | null;
  jobs: Runner | null;
  /** Takes what laboratories send. */
  hl7: Hl7 | null;
  /** Streams events of teams to their brokers. */
  streaming: Streaming | null;
};

async function start(running: Running, { role, config, secrets, place, log }: Options): Promise<FirstKeys | null> {
  const { db } = running.database;
  const cipher = await claimCipher(db, config, secrets);
  if (config.environment === 'production') await refuseStrongLogin(place.url);
  if (config.environment === 'sandbox') await seed({ ownerUrl: place.ownerUrl, directory: SANDBOX_SEEDS });
  const metrics = openMetrics();
  const polls = new LongPolls({ mostOfOrg: MOST_POLLS_OF_ORG });
  const ctx: Ctx = {
    config,
    db,
    log,
    cipher,
    bulk: new BulkWork(config.databasePools.api),
    polls,
    ...wings,
    stopping: running.stopping.signal,
    outOfSpace: () => outOfSpace(running),
    count: countIn(metrics),
  };
  // Before the first keys are made: a start that fails now would never show them.
  await refuseTakenPorts(config.host, portsOf(role, config));
  running.presence = await announceProcess(ctx, role);
  const firstKeys = config.environment === 'sandbox' ? await bootstrapSandbox(ctx, place.dataDir) : null;

  if (role !== 'worker') openApiPools(running, ctx, place.url);
  const app = role === 'worker' ? null : serveApi(ctx, metrics);
  if (app) Object.assign(running, { api: app.server, drain: prepareDrain(app.server, log) });
  if (role !== 'api') {
    if (role === 'serve' && place.embedded) await takeBackLanes(acrossTeams(ctx).db);
    startDelivering(running, ctx, place, metrics);
  }
  const { deliverer } = running;
  running.listener = openListener({
    url: place.url,
    channels: {
      phial_access: (payload) => app?.access.hear(payload),
      [DELIVERIES_CHANNEL]: (payload) => deliverer?.hear(payload),
      [RECEIVERS_CHANNEL]: (payload) => deliverer?.forget(payload),
      [REPLAYS_CHANNEL]: (payload) => deliverer?.hearOfReplay(payload),
      [EVENTS_CHANNEL]: (payload) => {
        polls.wake(payload);
        running.streaming?.wake(payload);
      },
    },
    lock: () => deliverer?.lock() ?? null,
    onLost: () => {
      app?.access.lost();
      deliverer?.lost();
    },
    onListening: () => {
      app?.access.listening();
      deliverer?.listening();
      polls.wakeAll();
      running.streaming?.wakeAll();
    },
    log,
  });
  await running.listener.ready;
  await app?.server.listen({ host: config.host, port: config.port });
  running.metricsServer = await serveMetrics(ctx, metrics);
  if (role === 'serve' && place.embedded) await unlockAbandonedJobs(ctx);
  if (role !== 'api') {
    const forJobs = openDatabase({
      url: place.url,
      poolSize: config.databasePools.jobs,
      role: 'phial_app',
      name: 'phial jobs',
      limits: config.jobLimits,
      beside: running.database,
      log,
    });
    running.forJobs = forJobs;
    running.jobs = await runJobs({ ...ctx, db: forJobs.db }, forJobs.pool);
    running.hl7 = await startHl7({ ...ctx, db: forJobs.db });
    running.streaming = startStreaming({ ...ctx, db: forJobs.db }, deliverer?.worker);
  }
  return firstKeys;
}

const outOfSpace = ({ database, reserved, ofStrangers, deliveries, forJobs }: Running): boolean =>
  [database, reserved, ofStrangers, deliveries, forJobs].some((open) => open?.outOfSpace());

/** Connections of some requests of the API alone, beside those that all others share. */
function openApiPools(running: Running, ctx: Ctx, url: string): void {
  const { config, log } = ctx;
  const common = { url, role: 'phial_app', limits: config.databaseLimits, beside: running.database, log } as const;
  running.reserved = openDatabase({
    ...common,
    name: 'phial reserved',
    poolSize: RESERVED_CONNECTIONS,
    keepOpen: true,
  });
  running.ofStrangers = openDatabase({ ...common, name: 'phial strangers', poolSize: CONNECTIONS_OF_STRANGERS });
  Object.assign(ctx, { reserved: running.reserved.db, ofStrangers: running.ofStrangers.db });
}

function startDelivering(running: Running, ctx: Ctx, place: Options['place'], metrics: Metrics): void {
  const { config, log } = ctx;
  const deliveries = openDatabase({
    url: place.url,
    poolSize: config.databasePools.delivery,
    role: 'phial_app',
    name: 'phial delivery',
    limits: config.databaseLimits,
    plans: 'by index',
    beside: running.database,
    log,
  });
  running.deliveries = deliveries;
  const sender = openSender({
    policy: deploymentPolicy(config),
    userAgent: USER_AGENT,
    timeoutMs: config.webhookTimeoutMs,
  });
  running.deliverer = new Deliverer({ ...ctx, db: deliveries.db }, { sender, metrics });
  running.deliverer.run();
}

/** On a port of its own, so that the metrics need not be where the API is reached. */
async function serveMetrics(ctx: Ctx, metrics: Metrics): Promise<FastifyInstance | null> {
  if (ctx.config.metricsPort === null) return null;
  const server = Fastify({ logger: false });
  registerMetrics(server, metrics, () => measure(ctx, metrics));
  registerProbes(server, ctx);
  await server.listen({ host: ctx.config.host, port: ctx.config.metricsPort });
  return server;
}

/**
 * Requests first, since they make work; then the work; then what both stand on. Events are streamed on beside all that for as long as
 * the drain takes: no broker of a team holds up what is behind it.
 */
async function stopInOrder(running: Running, drainMs: number): Promise<void> {
  const { stopping, presence, drain, jobs, hl7, streaming, deliverer, deliveries, forJobs } = running;
  const { metricsServer, listener, reserved, ofStrangers, database } = running;
  const deadline = Date.now() + drainMs;
  stopping.abort();
  const streamed = streaming?.stop(drainMs);
  await drain?.(drainMs);
  // Beside one another: a job that lasts takes no delivery its drain.
  const delivered = deliverer?.stop(Math.max(0, deadline - Date.now()));
  await Promise.all([hl7?.stop(), jobs?.stop(), delivered]);
  await streamed;
  await forJobs?.close();
  await deliveries?.close();
  await metricsServer?.close();
  await listener?.close();
  await presence?.stop();
  await reserved?.close();
  await ofStrangers?.close();
  await database.close();
}
