import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** What /metrics shows. Labels are operation ids, statuses and outcomes: nothing of a caller or a patient. */
export type Metrics = {
  registry: Registry;
  requestSeconds: Histogram<'operation' | 'status'>;
  attempts: Counter<'outcome'>;
  databaseUp: Gauge;
  deliveriesWaiting: Gauge;
  oldestDueSeconds: Gauge;
  deliveriesUnderWay: Gauge;
};

export function openMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    requestSeconds: new Histogram({
      name: 'phial_request_duration_seconds',
      help: 'Time from the arrival of a request to the end of its answer.',
      labelNames: ['operation', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
    attempts: new Counter({
      name: 'phial_webhook_attempts_total',
      help: 'Webhook delivery attempts by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    databaseUp: new Gauge({
      name: 'phial_database_up',
      help: 'Whether the database answered this scrape; the figures that come from it are NaN where it did not.',
      registers,
    }),
    deliveriesWaiting: new Gauge({
      name: 'phial_webhook_deliveries_waiting',
      help: 'Deliveries in the queue, due or not: counted up to 10,000, above that an estimate.',
      registers,
    }),
    oldestDueSeconds: new Gauge({
      name: 'phial_webhook_oldest_due_seconds',
      help: 'Age of the oldest delivery that is due to an enabled endpoint.',
      registers,
    }),
    deliveriesUnderWay: new Gauge({
      name: 'phial_webhook_deliveries_in_flight',
      help: 'Attempts that this process has under way.',
      registers,
    }),
  };
}

/** A scrape is answered without the database after this long. */
const REFRESH_MS = 2_000;

/** Shows `metrics` at /metrics; `refresh` brings up to date what is measured only when somebody looks. */
export function registerMetrics(server: FastifyInstance, metrics: Metrics, refresh: () => Promise<void>): void {
  server.get('/metrics', async (_request, reply) => {
    const late = new AbortController();
    const measured = await Promise.race([
      refresh().then(
        () => true,
        () => false,
      ),
      wait(REFRESH_MS, false, { signal: late.signal }).catch(() => false),
    ]);
    late.abort();
    metrics.databaseUp.set(measured ? 1 : 0);
    // What was true before the outage is not what is.
    if (!measured) for (const gauge of [metrics.deliveriesWaiting, metrics.oldestDueSeconds]) gauge.set(NaN);
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
}
