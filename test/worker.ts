import { Client } from 'pg';
import { openListener } from '../src/db/listener.ts';
import { Deliverer } from '../src/delivery/deliverer.ts';
import { Worker } from '../src/delivery/queues/delivery-worker.ts';
import { ENDPOINTS_CHANNEL } from '../src/delivery/endpoint-cache.ts';
import { REPLAYS_CHANNEL } from '../src/delivery/replays/notify.ts';
import { openSender } from '../src/delivery/sending/send.ts';
import { DELIVERIES_CHANNEL } from '../src/events/publish.ts';
import { deploymentPolicy } from '../src/outbound/deployment-policy.ts';
import type { TestApp } from './test-app.ts';

/** A worker on the database of a service, without notifications. */
export function startWorker({ ctx, config, metrics }: TestApp, maxQueues?: number): Deliverer {
  const policy = deploymentPolicy(config);
  const sender = openSender({ policy, userAgent: 'Phial test', timeoutMs: config.webhookTimeoutMs });
  const deliverer = new Deliverer(ctx, { sender, metrics, maxQueues });
  deliverer.run();
  return deliverer;
}

type ListeningWorker = {
  deliverer: Deliverer;
  /** Running deliveries have `drainMs` to end and be recorded. */
  close: (drainMs?: number) => Promise<void>;
};

/** A worker as in a process, with its listening connection. It calls `onCut` when that connection is cut. */
export async function startListeningWorker(
  app: TestApp,
  onCut?: () => void,
  maxQueues?: number,
): Promise<ListeningWorker> {
  const deliverer = startWorker(app, maxQueues);
  const listener = openListener({
    url: app.databaseUrl,
    log: app.ctx.log,
    channels: {
      [DELIVERIES_CHANNEL]: (payload) => deliverer.hear(payload),
      [ENDPOINTS_CHANNEL]: (payload) => deliverer.forget(payload),
      [REPLAYS_CHANNEL]: (payload) => deliverer.hearOfReplay(payload),
    },
    lock: () => deliverer.lock(),
    onLost: () => {
      deliverer.lost();
      onCut?.();
    },
    onListening: () => deliverer.listening(),
  });
  await listener.ready;
  return {
    deliverer,
    close: async (drainMs = 0) => {
      await deliverer.stop(drainMs);
      await listener.close();
    },
  };
}

export type ConnectedWorker = {
  worker: Worker;
  /** Ends its connection, as the kernel does for a killed process. Returns when PostgreSQL has noticed. */
  die: () => Promise<void>;
  close: () => Promise<void>;
};

/** A process that listens, so that others see it alive, and delivers nothing. */
export async function connectWorker(
  { databaseUrl }: Pick<TestApp, 'databaseUrl'>,
  worker = new Worker(),
): Promise<ConnectedWorker> {
  const connection = new Client({ connectionString: databaseUrl });
  connection.on('error', () => undefined);
  await connection.connect();
  await connection.query('select pg_advisory_lock(hashtextextended($1, 0))', [worker.lock()]);
  worker.listening();
  const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
  return {
    worker,
    die: async () => {
      const killer = new Client({ connectionString: databaseUrl });
      await killer.connect();
      await killer.query('select pg_terminate_backend($1, 5000)', [rows[0]?.pid]);
      await killer.end();
    },
    close: () => connection.end(),
  };
}
