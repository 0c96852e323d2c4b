// The parts of a process. `serve.ts` opens the parts of its role. Tests open the same parts and control them directly.
import { BatchScheduler } from './batch-scheduler.ts';
import type { Config, DatabaseLimits } from './config/options.ts';
import type { Ctx } from './context.ts';
import { openListener, type Listener } from './db/listener.ts';
import { openDatabase, type Database } from './db/open-database.ts';
import { Deliverer } from './delivery/deliverer.ts';
import { ENDPOINTS_CHANNEL } from './delivery/endpoint-cache.ts';
import { REPLAYS_CHANNEL } from './delivery/replays/notify.ts';
import { openSender } from './delivery/sending/send.ts';
import { EVENTS_CHANNEL } from './events/notify-readers.ts';
import { DELIVERIES_CHANNEL } from './events/publish.ts';
import type { App } from './http/app.ts';
import { CONNECTIONS_OF_ANONYMOUS_CALLERS, RESERVED_CONNECTIONS } from './http/limits/request-permits.ts';
import type { Logger } from './log.ts';
import type { LongPolls } from './long-polls.ts';
import { countIn, type Metrics } from './metrics.ts';
import { deploymentPolicy } from './outbound/deployment-policy.ts';
import { USER_AGENT } from './package-root.ts';
import type { Streaming } from './pipelines/etl/streaming/start-streaming.ts';
import type { Cipher } from './privacy/cipher.ts';
import { subscriptions } from './subscriptions.ts';
import type { Traces } from './traces/traces.ts';

/** The database to which all pools of a process connect. */
export type OnDatabase = { url: string; limits: DatabaseLimits; traces?: Traces | null; log: Logger };

/** Opens the pool that most requests share. */
export const openApiPool = (on: OnDatabase, poolSize: number): Database =>
  openDatabase({ ...on, poolSize, role: 'phial_app', name: 'phial api' });

/**
 * Opens the reserved pool and the pool for anonymous callers. The reserved connections are for look-ups of keys, for
 * requests with management keys and for /readyz.
 */
export function openSeparatePools(
  on: OnDatabase,
  beside: Database,
): { reserved: Database; forAnonymousCallers: Database } {
  const common = { ...on, role: 'phial_app', beside } as const;
  return {
    reserved: openDatabase({
      ...common,
      name: 'phial reserved',
      poolSize: RESERVED_CONNECTIONS,
      shouldStayOpen: true,
    }),
    forAnonymousCallers: openDatabase({
      ...common,
      name: 'phial anonymous',
      poolSize: CONNECTIONS_OF_ANONYMOUS_CALLERS,
    }),
  };
}

type Parts = {
  config: Config;
  log: Logger;
  cipher: Cipher;
  polls: LongPolls;
  metrics: Metrics;
  traces?: Traces | null;
};

/** Makes the context that every service function of this process gets. */
export const makeCtx = (api: Database, { config, log, cipher, polls, metrics, traces }: Parts): Ctx => ({
  config,
  db: api.db,
  log,
  cipher,
  batches: new BatchScheduler(config.databasePools.api),
  polls,
  subscriptions,
  outOfSpace: api.outOfSpace,
  count: countIn(metrics),
  ...(traces ? { traces } : {}),
});

/**
 * Opens the deliverer of webhooks, which has its own connections. It does nothing before `run()` or `untilIdle()` is
 * called.
 */
export function openDeliverer(
  ctx: Ctx,
  on: OnDatabase,
  { poolSize, beside, metrics }: { poolSize: number; beside: Database; metrics: Metrics },
): { deliveries: Database; deliverer: Deliverer } {
  const { config } = ctx;
  const deliveries = openDatabase({
    ...on,
    poolSize,
    role: 'phial_app',
    name: 'phial delivery',
    plans: 'by index',
    beside,
  });
  const sender = openSender({
    policy: deploymentPolicy(config),
    userAgent: USER_AGENT,
    timeoutMs: config.webhookTimeoutMs,
  });
  return { deliveries, deliverer: new Deliverer({ ...ctx, db: deliveries.db }, { sender, metrics }) };
}

type Listening = {
  app: App | null;
  polls: LongPolls;
  deliverer?: Deliverer | null;
  /** Returns the part that streams events to brokers of teams. It starts after the listener, and is null before. */
  findStreaming?: () => Streaming | null;
};

/** Listens for notifications of the database, and passes them to the parts of this process that cache or wait. */
export const listen = ({ url, log }: OnDatabase, { app, polls, deliverer, findStreaming }: Listening): Listener =>
  openListener({
    url,
    channels: {
      phial_access: (payload) => app?.access.hear(payload),
      [DELIVERIES_CHANNEL]: (payload) => deliverer?.hear(payload),
      [ENDPOINTS_CHANNEL]: (payload) => deliverer?.forget(payload),
      [REPLAYS_CHANNEL]: (payload) => deliverer?.hearOfReplay(payload),
      [EVENTS_CHANNEL]: (payload) => {
        polls.wake(payload);
        findStreaming?.()?.wake(payload);
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
      findStreaming?.()?.wakeAll();
    },
    log,
  });
