import type { Ctx } from '../context.ts';
import type { Metrics } from '../http/metrics.ts';
import type { Receiver } from './receiver-cache.ts';
import { holdDeliveries } from './hold.ts';
import type { Lane } from './lanes/lane.ts';
import { KEY_MISSING, loadEvents, type Event, type Loaded, type Wanted } from './load-events.ts';
import { placeOf, stillQueued, type Queued } from './lanes/queue.ts';
import type { Sender, SendOutcome } from './sending/send.ts';
import { delayAfter, dropDeliveries, type Delivery, type Settled } from './settle.ts';
import { Settler } from './settler.ts';
import { Tallies } from './tallies/tallies.ts';
import type { Threshold } from '../fair/threshold.ts';
import { TransientMap } from '../transient-map.ts';

/** Somebody else has locked what was to be moved or removed: an undo, or an erasure, which may take its time. */
const AFTER_LOCK_MS = 2_000;

/** By then the worker has let go of its lanes. */
const WITHOUT_KEY_MS = 2_000;

/** What is sent of it cannot be opened. */
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
 * A delivery taken from its lane: it holds a slot of the lane until it is answered, and a place of its team until that is
 * written.
 */
export type Begun = {
  lane: Lane;
  queued: Queued;
  receiver: Receiver;
  /** Hears what became of it. */
  onEnd?: (end: End) => void;
};

/**
 * What became of a delivery that was begun: an outcome that is written, or why there is none. `again`: it is as if it had
 * never begun.
 */
export type End = SendOutcome | 'gone' | 'held' | 'again';

type Dependencies = {
  sender: Sender;
  metrics: Pick<Metrics, 'attempts' | 'deliveriesUnderWay'>;
  places: Threshold;
  /** A slot of the lane is free, or its team has a place again: something else may begin. */
  onEnd: (lane: Lane) => void;
};

/** What became of deliveries between their lane and the log of attempts. */
export class Attempts {
  readonly #ctx: Ctx;
  readonly #with: Dependencies;
  readonly #settler: Settler;
  readonly #tallies: Tallies;
  /** Writes outcomes of replays, so that those of all others never wait for them. */
  readonly #ofReplays: Settler;
  readonly #begun = new TransientMap<Delivery, Begun>();
  /** Events of attempts under way: what goes to several receivers is read once. */
  readonly #events = new TransientMap<string, { event: Event; uses: number }>();

  constructor(ctx: Ctx, dependencies: Dependencies) {
    this.#ctx = ctx;
    this.#with = dependencies;
    this.#tallies = new Tallies(ctx);
    const onSettled = ({ delivery, outcome, delay }: Settled, isWritten: boolean): void => {
      const begun = this.#begun.get(delivery) as Begun;
      if (delay !== null) begun.lane.expectRetry(delay, performance.now());
      this.#end(delivery, begun);
      begun.lane.settle(begun.queued);
      begun.onEnd?.(isWritten ? outcome : 'again');
    };
    this.#settler = new Settler(ctx, onSettled);
    this.#ofReplays = new Settler(ctx, onSettled);
  }

  /** Requests, and outcomes that are being written, consequences and all; not those that wait for somebody's lock. */
  get underWay(): number {
    const settlers = [this.#settler, this.#ofReplays];
    return settlers.reduce((sum, { locked, disabling }) => sum - locked + disabling, this.#begun.size);
  }

  /** Tries at once to write what waits for a lock. */
  settleAgain(): void {
    this.#settler.again();
    this.#ofReplays.again();
  }

  /** Sends what was begun, holds back what tells of users who leave, and drops what has no event any more. */
  async start(begun: Begun[]): Promise<void> {
    let loaded: Loaded;
    try {
      loaded = await this.#load(begun);
    } catch (error) {
      for (const one of begun) this.#giveUp(one, 'again');
      throw error;
    }
    const now = performance.now();
    const held: (Begun & { user_id: string })[] = [];
    const dropped: Begun[] = [];
    for (const one of begun) {
      const it = loaded.found.get(one.queued.event_id);
      // The worker may have been taken for dead, or its lease have ended, while this was read.
      if (one.lane.leasedUntil <= now) this.#giveUp(one, 'again');
      else if (!it) dropped.push(one);
      else if (loaded.unqueued.has(placeOf(one.queued))) this.#giveUp(one, 'gone');
      else if (it.event === KEY_MISSING) {
        one.lane.putOff(WITHOUT_KEY_MS, now);
        this.#giveUp(one, 'again');
      } else if (it.heldFor !== null) held.push({ ...one, user_id: it.heldFor });
      else void this.#attempt(one, it.event);
    }
    const gone = new Set<string>();
    try {
      const rows = await dropDeliveries(
        this.#ctx.db,
        dropped.map(({ queued }) => queued),
      );
      for (const row of rows) gone.add(placeOf(row));
      const moved = await holdDeliveries(
        this.#ctx.db,
        held.map(({ queued, lane, user_id }) => ({ queued, team_id: lane.team_id, fence: lane.fence, user_id })),
      );
      for (const row of moved) gone.add(placeOf(row));
      const left = [...dropped, ...held].filter(({ queued }) => !gone.has(placeOf(queued)));
      const asked = left.map(({ lane, queued }) => ({ ...queued, fence: lane.fence, lane }));
      for (const { lane } of await stillQueued(this.#ctx.db, asked)) lane.putOff(AFTER_LOCK_MS, performance.now());
    } finally {
      for (const one of dropped) this.#giveUp(one, 'gone');
      for (const one of held) this.#giveUp(one, gone.has(placeOf(one.queued)) ? 'held' : 'again');
    }
  }

  /** Writes what has ended by now, and does not wait for a database that is away. */
  async finish(): Promise<void> {
    await Promise.all([this.#settler.finish(), this.#ofReplays.finish()]);
    await this.#tallies.write();
  }

  /** Writes how many attempts ended how, and does not wait for the next time that this is due. */
  writeTallies(): Promise<void> {
    return this.#tallies.write();
  }

  #load(begun: Begun[]): Promise<Loaded> {
    const wanted = new Map<string, Wanted>();
    for (const { lane, queued } of begun) {
      const { webhook_id, event_id: id } = queued;
      const toldTo = queued.from === 'told' ? webhook_id : null;
      // Taken now: while this is read, the last attempt that holds it may end.
      const known = this.#events.get(id)?.event ?? null;
      wanted.set(toldTo ? placeOf(queued) : id, { team_id: lane.team_id, id, known, toldTo });
    }
    return loadEvents(this.#ctx, [...wanted.values()]);
  }

  async #attempt(begun: Begun, event: Event): Promise<void> {
    const { lane, queued, receiver } = begun;
    const { sender, metrics } = this.#with;
    // Property by property: of an object that begins with a spread V8 11 makes a hidden class of its own, each time.
    const { webhook_id, event_id, attempt, from, schedule_from, trigger, asked } = queued;
    const delivery: Delivery = {
      webhook_id,
      event_id,
      attempt,
      from,
      schedule_from,
      trigger,
      asked,
      team_id: lane.team_id,
      fence: lane.fence,
      event_type: event.event_type,
      headers_id: receiver.headers_id,
      moves: receiver.moves,
    };
    this.#begun.set(delivery, begun);
    this.#events.set(queued.event_id, { event, uses: (this.#events.get(queued.event_id)?.uses ?? 0) + 1 });
    metrics.deliveriesUnderWay.inc();
    const { url, headers, secrets } = receiver;
    const { body, origin } = event;
    const request = { owner: lane.owner, url, headers, secrets, id: event_id, origin };
    const outcome = body === null ? UNOPENED : await sender.send({ body, ...request });
    metrics.deliveriesUnderWay.dec();
    // Its row stays in the queue, and its lane is let go: it is as if it had never begun.
    if (outcome.error === 'cancelled') {
      this.#end(delivery, begun);
      lane.end(queued, null, performance.now());
      return begun.onEnd?.('again');
    }
    lane.answer(queued, outcome, performance.now());
    this.#with.onEnd(lane);
    this.#tell(delivery, outcome);
    if (event.body !== null) this.#tallies.add(delivery, outcome);
    const settler = queued.from === 'replays' ? this.#ofReplays : this.#settler;
    settler.add({ delivery, outcome, delay: delayAfter(delivery, outcome) });
  }

  #tell(delivery: Delivery, outcome: SendOutcome): void {
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

  #end(delivery: Delivery, begun: Begun): void {
    this.#begun.delete(delivery);
    const held = this.#events.get(delivery.event_id);
    if (held && held.uses > 1) held.uses -= 1;
    else this.#events.delete(delivery.event_id);
    this.#free(begun);
  }

  /** Its row is gone, or is found again when its lane is next read from the beginning. */
  #giveUp(begun: Begun, end: End): void {
    begun.lane.lookFromBeginning();
    begun.lane.end(begun.queued, null, performance.now());
    this.#free(begun);
    begun.onEnd?.(end);
  }

  #free({ lane }: Begun): void {
    this.#with.places.giveBack(lane.owner);
    this.#with.onEnd(lane);
  }
}
