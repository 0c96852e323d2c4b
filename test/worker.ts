import { Client } from 'pg';
import { openListener } from '../src/db/listen.ts';
import { Deliverer } from '../src/delivery/deliver.ts';
import { Worker } from '../src/delivery/lanes/workers.ts';
import { RECEIVERS_CHANNEL } from '../src/delivery/receiver-cache.ts';
import { REPLAYS_CHANNEL } from '../src/delivery/replays/tell.ts';
import { openSender } from '../src/delivery/sending/send.ts';
import { DELIVERIES_CHANNEL } from '../src/events/publish.ts';
import { deploymentPolicy } from '../src/outbound/deployment-policy.ts';
import type { TestApp } from './app.ts';

/** A worker on the database of a service that hears nothing. */
export function startWorker({ ctx, config, metrics }: TestApp, mostLanes?: number): Deliverer {
  const policy = deploymentPolicy(config);
  const sender = openSender({ policy, userAgent: 'Phial test', timeoutMs: config.webhookTimeoutMs });
  const deliverer = new Deliverer(ctx, { sender, metrics, mostLanes });
  deliverer.run();
  return deliverer;
}

type ListeningWorker = {
  deliverer: Deliverer;
  /** What is under way has `drainMs` to end and be written. */
  close: (drainMs?: number) => Promise<void>;
};

/** A worker as a process has it, with its listening connection; `onCut` is told when that is cut. */
export async function startListeningWorker(
  app: TestApp,
  onCut?: () => void,
  mostLanes?: number,
): Promise<ListeningWorker> {
  const deliverer = startWorker(app, mostLanes);
  const listener = openListener({
    url: app.databaseUrl,
    log: app.ctx.log,
    channels: {
      [DELIVERIES_CHANNEL]: (payload) => deliverer.hear(payload),
      [RECEIVERS_CHANNEL]: (payload) => deliverer.forget(payload),
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
  /** Ends its connection, as the kernel does when a process is killed; returns when PostgreSQL has noticed. */
  die: () => Promise<void>;
  close: () => Promise<void>;
};

/** Whom others see to live, as a process that listens, and who delivers nothing. */
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
