import Fastify, { type FastifyInstance } from 'fastify';
import type { Runner } from 'graphile-worker';
import { serveApi } from './api.ts';
import type { Config, Secrets } from './config.ts';
import type { Ctx } from './context.ts';
import { claimDeployment } from './db/deployment.ts';
import { openListener } from './db/listen.ts';
import { migrate } from './db/migrate.ts';
import { openDatabase } from './db/open.ts';
import { MIGRATIONS, type Place } from './db/place.ts';
import { DELIVERIES_CHANNEL } from './events/publish.ts';
import type { App } from './http/app.ts';
import { openMetrics, registerMetrics, type Metrics } from './http/metrics.ts';
import { unlockAbandonedJobs } from './jobs/unlock.ts';
import { runJobs } from './jobs/run.ts';
import type { Logger } from './log.ts';
import { bootstrapSandbox, type Credentials } from './management/bootstrap.ts';
import { VERSION } from './package-root.ts';
import { startDeliverer, type Deliverer } from './webhooks/deliver.ts';
import { deploymentPolicy } from './webhooks/endpoint-url.ts';
import { measureQueue } from './webhooks/queue-depth.ts';
import { openSender } from './webhooks/send.ts';

/** `serve` is both; any number of api and worker processes may share one database. */
export type Role = 'serve' | 'api' | 'worker';

export type Service = {
  /** Set on the very first start of a sandbox only. */
  credentials: Credentials | null;
  /** Finishes requests and deliveries, gives leases back and closes everything that was opened here. */
  stop: () => Promise<void>;
};

type Options = { role: Role; config: Config; secrets: Secrets; place: Place; log: Logger };

/** Starts the service on a database that is open: migrates, then serves and works as its role says. */
export async function startService({ role, config, secrets, place, log }: Options): Promise<Service> {
  const fresh = await migrate({ ownerUrl: place.ownerUrl, directory: MIGRATIONS });
  if (fresh.length > 0) log.info({ migrations: fresh.length }, 'database migrated');
  const database = openDatabase({ url: place.url, poolSize: config.databasePoolSize, role: 'phial_app', log });
  const lookupKey = await claimDeployment(database.db, config, secrets);
  const stopping = new AbortController();
  const ctx: Ctx = { config, db: database.db, log, lookupKey, stopping: stopping.signal };
  const credentials = config.environment === 'sandbox' ? await bootstrapSandbox(ctx, place.dataDir) : null;
  const metrics = openMetrics();

  const app = role === 'worker' ? null : serveApi(ctx, metrics);
  const deliverer = role === 'api' ? null : startDeliverer(ctx, {
    sender: openSender({
      policy: deploymentPolicy(config), userAgent: `Phial/${VERSION}`, timeoutMs: config.webhookTimeoutMs,
      // Endpoints of many teams may share one host: its connections must not run out before the endpoints' own slots.
      connectionsPerOrigin: config.webhookInFlightPerEndpoint * 8,
    }),
    metrics,
  });
  const listener = openListener({
    url: place.url,
    channels: { phial_access: () => app?.access.forget(), [DELIVERIES_CHANNEL]: () => deliverer?.wake() },
    onLost: () => app?.access.lost(),
    onListening: () => {
      app?.access.listening();
      deliverer?.wake();
    },
    log,
  });
  await listener.ready;
  await app?.server.listen({ host: config.host, port: config.port });
  const metricsServer = await serveMetrics(ctx, metrics);
  if (role === 'serve' && place.embedded) await unlockAbandonedJobs(ctx);
  const jobs = role === 'api' ? null : await runJobs(ctx, database.pool);
  return {
    credentials,
    stop: () => stopInOrder({ stopping, app, jobs, deliverer, drainMs: config.drainSeconds * 1000 }, async () => {
      await metricsServer?.close();
      await listener.close();
      await database.close();
    }),
  };
}

/** On a port of its own, so that the metrics need not be where the API is reached. */
async function serveMetrics(ctx: Ctx, metrics: Metrics): Promise<FastifyInstance | null> {
  if (ctx.config.metricsPort === null) return null;
  const server = Fastify({ logger: false });
  registerMetrics(server, metrics, () => measureQueue(ctx.db, metrics));
  await server.listen({ host: ctx.config.host, port: ctx.config.metricsPort });
  return server;
}

type Running = { stopping: AbortController; app: App | null; jobs: Runner | null; deliverer: Deliverer | null; drainMs: number };

/** Requests first, since they make work; then the work; then what both stand on. */
async function stopInOrder({ stopping, app, jobs, deliverer, drainMs }: Running, closeDatabase: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + drainMs;
  stopping.abort();
  if (app) {
    const cut = setTimeout(() => app.server.server.closeAllConnections(), drainMs);
    await app.server.close();
    clearTimeout(cut);
  }
  await jobs?.stop();
  await deliverer?.stop(Math.max(0, deadline - Date.now()));
  await closeDatabase();
}
