import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { CountedOutcome } from './context.ts';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/**
 * The metrics of /metrics. Labels are operation ids, statuses, providers and outcomes. They never contain data about a
 * caller or a patient.
 */
export type Metrics = {
  registry: Registry;
  requestSeconds: Histogram<'operation' | 'status'>;
  attempts: Counter<'outcome'>;
  pullWindows: Counter<'provider' | 'outcome'>;
  polls: Counter<'provider' | 'outcome'>;
  hooks: Counter<'provider' | 'outcome'>;
  imports: Counter<'outcome'>;
  skipped: Counter<'provider' | 'resource' | 'reason'>;
  pipelines: { events: Counter; failing: Gauge; failingSeconds: Gauge };
  mails: Record<'waiting' | 'oldestWaitingSeconds', Gauge>;
  erasures: Record<'due' | 'oldestDueSeconds', Gauge<'of'>>;
  storageFreeBytes: Gauge<'of'>;
  databaseUp: Gauge;
  laboratories: LaboratoryGauges;
  deliveriesWaiting: Gauge;
  oldestDueSeconds: Gauge;
  deliveriesUnderWay: Gauge;
};

/** Gauges of laboratories that are connected with HL7, by the laboratory's slug. */
export type LaboratoryGauges = Record<
  'waiting' | 'oldestWaitingSeconds' | 'oldestCommittedSeconds' | 'refused' | 'resultsWaiting',
  Gauge<'lab'>
>;

/** Adds the metrics of the process itself: memory, processor time, event loop. They need a running timer. */
export function addProcessMetrics({ registry }: Metrics): void {
  collectDefaultMetrics({ register: registry });
}

export function openMetrics(): Metrics {
  const registry = new Registry();
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
    pullWindows: new Counter({
      name: 'phial_pull_windows_total',
      help:
        'Windows of past data that were pulled from providers, by outcome: success, held_back, or the reason ' +
        'of the failure.',
      labelNames: ['provider', 'outcome'],
      registers,
    }),
    polls: new Counter({
      name: 'phial_polls_total',
      help: 'Polls of connections for new data, by outcome: success, held_back or failure.',
      labelNames: ['provider', 'outcome'],
      registers,
    }),
    hooks: new Counter({
      name: 'phial_provider_hooks_total',
      help: 'Notifications from providers, by outcome: kept, nobody_told or refused.',
      labelNames: ['provider', 'outcome'],
      registers,
    }),
    imports: new Counter({
      name: 'phial_imports_total',
      help: 'Files whose import has ended, by outcome: success, or the reason of the failure.',
      labelNames: ['outcome'],
      registers,
    }),
    skipped: skippedCounter(registers),
    pipelines: pipelineMetrics(registers),
    mails: mailGauges(registers),
    erasures: erasureGauges(registers),
    storageFreeBytes: new Gauge({
      name: 'phial_storage_free_bytes',
      help: 'Free bytes for files: on the disk of uploads, and for the database where we know it.',
      labelNames: ['of'],
      registers,
    }),
    databaseUp: new Gauge({
      name: 'phial_database_up',
      help: '1 when the database answered this scrape. If 0, the figures that come from the database are NaN.',
      registers,
    }),
    laboratories: laboratoryGauges(registers),
    ...deliveryGauges(registers),
  };
}

function deliveryGauges(
  registers: Registry[],
): Pick<Metrics, 'deliveriesWaiting' | 'oldestDueSeconds' | 'deliveriesUnderWay'> {
  return {
    deliveriesWaiting: new Gauge({
      name: 'phial_webhook_deliveries_waiting',
      help: 'Deliveries in the queue, due or not: exact up to 10,000, an estimate above that.',
      registers,
    }),
    oldestDueSeconds: new Gauge({
      name: 'phial_webhook_oldest_due_seconds',
      help: 'Age of the oldest delivery that is due to an enabled endpoint.',
      registers,
    }),
    deliveriesUnderWay: new Gauge({
      name: 'phial_webhook_deliveries_in_flight',
      help: 'Attempts that are under way in this process.',
      registers,
    }),
  };
}

function skippedCounter(registers: Registry[]): Metrics['skipped'] {
  return new Counter({
    name: 'phial_provider_records_skipped_total',
    help:
      'Samples and summaries of providers that were left out, in whole or in part, by reason. The reason ' +
      'impossible marks values that nobody can have measured.',
    labelNames: ['provider', 'resource', 'reason'],
    registers,
  });
}

function pipelineMetrics(registers: Registry[]): Metrics['pipelines'] {
  return {
    events: new Counter({
      name: 'phial_pipeline_events_total',
      help: 'Events that brokers of teams have confirmed.',
      registers,
    }),
    failing: new Gauge({
      name: 'phial_pipelines_failing',
      help: 'Pipelines of teams whose broker accepts nothing.',
      registers,
    }),
    failingSeconds: new Gauge({
      name: 'phial_pipelines_failing_seconds',
      help: 'How long the pipeline that failed first has failed; 0 when none fails.',
      registers,
    }),
  };
}

function mailGauges(registers: Registry[]): Metrics['mails'] {
  return {
    waiting: new Gauge({
      name: 'phial_mails_waiting',
      help: 'Mails that wait to be sent and whose links are still valid, up to 10,000.',
      registers,
    }),
    oldestWaitingSeconds: new Gauge({
      name: 'phial_mails_oldest_waiting_seconds',
      help: 'Age of the oldest waiting mail; 0 when none waits.',
      registers,
    }),
  };
}

function erasureGauges(registers: Registry[]): Metrics['erasures'] {
  return {
    due: new Gauge({
      name: 'phial_erasures_due',
      help:
        'Deletions that are due and not done, up to 10,000. A user is due after the time for an undo, a team ' +
        'at once.',
      labelNames: ['of'],
      registers,
    }),
    oldestDueSeconds: new Gauge({
      name: 'phial_erasures_oldest_due_seconds',
      help:
        'How long the oldest due deletion has been due, without deletions of users that have begun; 0 when ' +
        'none is due.',
      labelNames: ['of'],
      registers,
    }),
  };
}

function laboratoryGauges(registers: Registry[]): LaboratoryGauges {
  const of = (name: string, help: string): Gauge<'lab'> =>
    new Gauge({ name: `phial_laboratory_${name}`, help, labelNames: ['lab'], registers });
  return {
    waiting: of('orders_waiting', 'Messages of orders that a laboratory has not accepted yet, up to 10,000.'),
    oldestWaitingSeconds: of(
      'oldest_order_waiting_seconds',
      'Age of the oldest waiting message of an order; 0 when none waits.',
    ),
    oldestCommittedSeconds: of(
      'oldest_committed_seconds',
      'Age of the oldest message of an order that a laboratory has committed and not answered yet; 0 when ' +
        'there is none.',
    ),
    refused: of(
      'orders_refused',
      'Messages of orders that a laboratory refused and that were not sent again, up to 10,000.',
    ),
    resultsWaiting: of('results_waiting', 'Messages of a laboratory that wait for repair, up to 10,000.'),
  };
}

/**
 * Adds a gauge for the time that the oldest waiting request has waited for a permit. For a process that serves the API.
 */
export function showRequestWait({ registry }: Metrics, permits: { readonly longestWaitMs: number }): void {
  const gauge: Gauge = new Gauge({
    name: 'phial_request_wait_seconds',
    help: 'How long the request that waits longest for a permit in this process has waited; 0 when none waits.',
    registers: [registry],
    collect: (): void => gauge.set(permits.longestWaitMs / 1000),
  });
}

/** Returns the function that modules of providers and pipelines call to count. So they need not import the metrics. */
export const countIn =
  ({ pullWindows, polls, hooks, imports, skipped, pipelines }: Metrics) =>
  (counted: CountedOutcome): void => {
    if (counted.what === 'pipeline') return pipelines.events.inc(counted.many);
    if (counted.what === 'import') return imports.inc({ outcome: counted.outcome });
    if (counted.what === 'skipped') {
      const { provider, resource, many } = counted;
      return skipped.inc({ provider, resource, reason: 'impossible' }, many);
    }
    const { provider, outcome } = counted;
    ({ pull_window: pullWindows, poll: polls, hook: hooks })[counted.what].inc({ provider, outcome });
  };

/**
 * If the database has not responded after this time, the response to a metrics server lacks all figures from the
 * database.
 */
const REFRESH_MS = 2_000;

/** Serves `metrics` at /metrics. `refresh` updates the metrics that we measure only for a scrape. */
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
    // The figures that we have are from before the outage and may be wrong now, so we report none.
    if (!measured) {
      const { failing, failingSeconds } = metrics.pipelines;
      const { waiting, oldestWaitingSeconds } = metrics.mails;
      const queue = [metrics.deliveriesWaiting, metrics.oldestDueSeconds];
      for (const gauge of [...queue, failing, failingSeconds, waiting, oldestWaitingSeconds]) gauge.set(NaN);
      for (const gauge of [...Object.values(metrics.laboratories), ...Object.values(metrics.erasures)]) gauge.reset();
    }
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
}
