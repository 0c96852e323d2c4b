import type { Ctx } from '../context.ts';
import type { Metrics } from '../metrics.ts';
import type { Endpoint } from './endpoint-cache.ts';
import { deferDeliveries } from './defer-deliveries.ts';
import type { EndpointQueue } from './queues/endpoint-queue.ts';
import { KEY_MISSING, loadEvents, type Event, type Loaded, type EventToLoad } from './load-events.ts';
import { deliveryKeyOf, stillQueued, type Queued } from './queues/read-queue.ts';
import type { Sender, SendOutcome } from './sending/send.ts';
import { delayAfter, dropDeliveries, type Delivery, type EndedDelivery } from './record-outcomes.ts';
import { OutcomeWriter } from './outcome-writer.ts';
import { Tallies } from './tallies/tallies.ts';
import type { Threshold } from '../fair/threshold.ts';
import type { OpenSpan, Traces } from '../traces/traces.ts';
import { TransientMap } from '../transient-map.ts';

/**
 * If another transaction locks a row that we want to move or delete, the queue pauses for this time. The other
 * transaction erases a user, or undoes the deletion of a user, and may take some time.
 */
const AFTER_LOCK_MS = 2_000;

/**
 * A queue whose event needs an encryption key that this process lacks rests for this long. Meanwhile the worker
 * releases the queue, and another worker with the key takes it.
 */
const WITHOUT_KEY_MS = 2_000;

/** The outcome of a delivery whose stored event body we cannot decrypt. We send no request for it. */
const UNOPENED: SendOutcome = {
  ok: false,
  status: null,
  error: 'local_error',
  error_detail: null,
  duration_ms: 0,
  response_body: '',
  retry_after_seconds: null,
  gone: false,
  sent: null,
};

/**
 * A delivery that was taken from its queue. It uses a slot of the queue until the endpoint responds. It uses a permit
 * of its team until the outcome is in the database.
 */
export type BegunDelivery = {
  queue: EndpointQueue;
  queued: Queued;
  endpoint: Endpoint;
  /** `Attempts` calls this once, when the delivery ends. */
  onEnd?: (end: End) => void;
};

/**
 * How a delivery ended. A `SendOutcome` is in the log of attempts. With the other values, we wrote no outcome. `gone`:
 * the delivery is no longer in the queue. `deferred`: its user is scheduled for deletion, so it waits. `again`: it
 * stays in the queue, as if it had never started.
 */
export type End = SendOutcome | 'gone' | 'deferred' | 'again';

type Dependencies = {
  sender: Sender;
  metrics: Pick<Metrics, 'attempts' | 'deliveriesUnderWay'>;
  permits: Threshold;
  /**
   * `Attempts` calls this when a slot of the queue or a permit of its team becomes free, so that another delivery may
   * start.
   */
  onEnd: (queue: EndpointQueue) => void;
};

/**
 * Makes the attempts of deliveries: loads their events, sends the requests and writes the outcomes to the log of
 * attempts.
 */
export class Attempts {
  readonly #ctx: Ctx;
  readonly #with: Dependencies;
  readonly #outcomeWriter: OutcomeWriter;
  readonly #tallies: Tallies;
  /**
   * Writes the outcomes of webhook replays. These outcomes need locks that other outcomes do not need (`recordBatch`).
   * With only one writer, all other outcomes would wait for these locks too.
   */
  readonly #ofReplays: OutcomeWriter;
  readonly #begun = new TransientMap<Delivery, BegunDelivery>();
  /** The events of the attempts under way, by id. If an event goes to several endpoints, we read its body only once. */
  readonly #events = new TransientMap<string, { event: Event; uses: number }>();

  constructor(ctx: Ctx, dependencies: Dependencies) {
    this.#ctx = ctx;
    this.#with = dependencies;
    this.#tallies = new Tallies(ctx);
    const onRecorded = ({ delivery, outcome, delay }: EndedDelivery, isWritten: boolean): void => {
      const begun = this.#begun.get(delivery) as BegunDelivery;
      if (delay !== null) begun.queue.expectRetry(delay, performance.now());
      this.#end(delivery, begun);
      begun.queue.markRecorded(begun.queued);
      begun.onEnd?.(isWritten ? outcome : 'again');
    };
    this.#outcomeWriter = new OutcomeWriter(ctx, onRecorded);
    this.#ofReplays = new OutcomeWriter(ctx, onRecorded);
  }

  /**
   * Returns the number of deliveries whose request is under way or whose outcome we are writing. It also counts each
   * batch of outcomes with an endpoint that we are still disabling. It does not count outcomes that wait for a lock.
   */
  get underWay(): number {
    const writers = [this.#outcomeWriter, this.#ofReplays];
    return writers.reduce((sum, { locked, disabling }) => sum - locked + disabling, this.#begun.size);
  }

  /** Tries immediately to write the outcomes that wait for a lock. */
  retryLocked(): void {
    this.#outcomeWriter.again();
    this.#ofReplays.again();
  }

  /**
   * Sends the deliveries. Defers a delivery if its user is scheduled for deletion, and drops it if its event was
   * deleted.
   */
  async start(begun: BegunDelivery[]): Promise<void> {
    let loaded: Loaded;
    try {
      loaded = await this.#load(begun);
    } catch (error) {
      for (const one of begun) this.#giveUp(one, 'again');
      throw error;
    }
    const now = performance.now();
    const deferred: (BegunDelivery & { user_id: string })[] = [];
    const dropped: BegunDelivery[] = [];
    for (const one of begun) {
      const it = loaded.found.get(one.queued.event_id);
      // While we read the events, other workers may have declared this worker dead, or the lease of the queue may have
      // ended.
      if (one.queue.leasedUntil <= now) this.#giveUp(one, 'again');
      else if (!it) dropped.push(one);
      else if (loaded.unqueued.has(deliveryKeyOf(one.queued))) this.#giveUp(one, 'gone');
      else if (it.event === KEY_MISSING) {
        one.queue.postpone(WITHOUT_KEY_MS, now);
        this.#giveUp(one, 'again');
      } else if (it.deferredFor !== null) deferred.push({ ...one, user_id: it.deferredFor });
      else void this.#attempt(one, it.event);
    }
    const gone = new Set<string>();
    try {
      const rows = await dropDeliveries(
        this.#ctx.db,
        dropped.map(({ queued }) => queued),
      );
      for (const row of rows) gone.add(deliveryKeyOf(row));
      const moved = await deferDeliveries(
        this.#ctx.db,
        deferred.map(({ queued, queue, user_id }) => ({ queued, team_id: queue.team_id, fence: queue.fence, user_id })),
      );
      for (const row of moved) gone.add(deliveryKeyOf(row));
      const left = [...dropped, ...deferred].filter(({ queued }) => !gone.has(deliveryKeyOf(queued)));
      const asked = left.map(({ queue, queued }) => ({ ...queued, fence: queue.fence, queue }));
      for (const { queue } of await stillQueued(this.#ctx.db, asked)) queue.postpone(AFTER_LOCK_MS, performance.now());
    } finally {
      for (const one of dropped) this.#giveUp(one, 'gone');
      for (const one of deferred) this.#giveUp(one, gone.has(deliveryKeyOf(one.queued)) ? 'deferred' : 'again');
    }
  }

  /** Writes all outcomes that are ready. If the database is unavailable, it gives up instead of waiting for it. */
  async finish(): Promise<void> {
    await Promise.all([this.#outcomeWriter.finish(), this.#ofReplays.finish()]);
    await this.#tallies.write();
  }

  /** Writes the counts of attempts immediately, before the next regular write is due. */
  writeTallies(): Promise<void> {
    return this.#tallies.write();
  }

  #load(begun: BegunDelivery[]): Promise<Loaded> {
    const wanted = new Map<string, EventToLoad>();
    for (const { queue, queued } of begun) {
      const { webhook_id, event_id: id } = queued;
      const notifiedEndpoint = queued.from === 'notified' ? webhook_id : null;
      // We copy the event before the read. The last attempt that uses it may end during the read and remove it from the
      // map.
      const known = this.#events.get(id)?.event ?? null;
      wanted.set(notifiedEndpoint ? deliveryKeyOf(queued) : id, {
        team_id: queue.team_id,
        id,
        known,
        notifiedEndpoint,
      });
    }
    return loadEvents(this.#ctx, [...wanted.values()]);
  }

  async #attempt(begun: BegunDelivery, event: Event): Promise<void> {
    const { queue, queued, endpoint } = begun;
    const { sender, metrics } = this.#with;
    // We list each property instead of using a spread, because V8 11 makes a new hidden class for every object that
    // begins with a spread, which slows the code down.
    const { webhook_id, event_id, attempt, from, schedule_from, trigger, asked } = queued;
    const delivery: Delivery = {
      webhook_id,
      event_id,
      attempt,
      from,
      schedule_from,
      trigger,
      asked,
      team_id: queue.team_id,
      fence: queue.fence,
      event_type: event.event_type,
      headers_id: endpoint.headers_id,
      url_changes: endpoint.url_changes,
    };
    this.#begun.set(delivery, begun);
    this.#events.set(queued.event_id, { event, uses: (this.#events.get(queued.event_id)?.uses ?? 0) + 1 });
    metrics.deliveriesUnderWay.inc();
    const span = this.#ctx.traces && beginSpan(this.#ctx.traces, delivery);
    const { url, headers, secrets } = endpoint;
    const { body, origin } = event;
    const request = { owner: queue.owner, url, headers, secrets, id: event_id, origin };
    const outcome = body === null ? UNOPENED : await sender.send({ body, ...request });
    metrics.deliveriesUnderWay.dec();
    span?.end(outcome.status === null ? {} : { 'http.response.status_code': outcome.status }, failureOf(outcome));
    // `close()` of the sender cancelled the request. The row of the delivery stays in the queue, and the worker
    // releases the queue. The next owner of the queue starts the delivery as if this attempt had never begun.
    if (outcome.error === 'cancelled') {
      this.#end(delivery, begun);
      queue.end(queued, null, performance.now());
      return begun.onEnd?.('again');
    }
    queue.answer(queued, outcome, performance.now());
    this.#with.onEnd(queue);
    this.#logAttempt(delivery, outcome);
    if (event.body !== null) this.#tallies.add(delivery, outcome);
    const outcomeWriter = queued.from === 'replays' ? this.#ofReplays : this.#outcomeWriter;
    outcomeWriter.add({ delivery, outcome, delay: delayAfter(delivery, outcome) });
  }

  #logAttempt(delivery: Delivery, outcome: SendOutcome): void {
    this.#with.metrics.attempts.inc({ outcome: outcome.ok ? 'succeeded' : 'failed' });
    const level = outcome.ok ? 'info' : 'warn';
    if (!this.#ctx.log.isLevelEnabled(level)) return;
    this.#ctx.log[level](
      {
        message_id: delivery.event_id,
        endpoint_id: delivery.webhook_id,
        team_id: delivery.team_id,
        event_type: delivery.event_type,
        attempt: delivery.attempt,
        ok: outcome.ok,
        status: outcome.status,
        error: outcome.error,
        duration_ms: outcome.duration_ms,
      },
      'delivery attempt',
    );
  }

  #end(delivery: Delivery, begun: BegunDelivery): void {
    this.#begun.delete(delivery);
    const shared = this.#events.get(delivery.event_id);
    if (shared && shared.uses > 1) shared.uses -= 1;
    else this.#events.delete(delivery.event_id);
    this.#free(begun);
  }

  /**
   * Ends a delivery that gets no attempt now. If its row still exists, the next read of the queue finds it, because
   * that read begins at the first row.
   */
  #giveUp(begun: BegunDelivery, end: End): void {
    begun.queue.lookFromBeginning();
    begun.queue.end(begun.queued, null, performance.now());
    this.#free(begun);
    begun.onEnd?.(end);
  }

  #free({ queue }: BegunDelivery): void {
    this.#with.permits.release(queue.owner);
    this.#with.onEnd(queue);
  }
}

const beginSpan = (traces: Traces, { event_id, event_type, webhook_id, attempt }: Delivery): OpenSpan =>
  traces.beginAttempt(event_id, {
    'phial.event_type': event_type,
    'phial.endpoint_id': webhook_id,
    'phial.attempt': attempt,
  });

const failureOf = ({ ok, error, status }: SendOutcome): string | null => (ok ? null : (error ?? String(status)));
