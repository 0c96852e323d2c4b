import { sql } from 'kysely';
import type { Db, Tx } from '../../db/open-database.ts';

/**
 * Why an attempt was made, if not by the retry schedule: a person requested it, a replay sent it, or it is a test of an
 * endpoint.
 */
export type Trigger = 'resend' | 'replay' | 'test';

/**
 * A delivery to make, with the number of its next attempt (1 is the first). `from` is the table with its row. A
 * delivery from `replays` has no row. `notified` means that a notification named the delivery: the worker has not read
 * its row, which may not exist any more.
 */
export type Queued = {
  webhook_id: string;
  event_id: string;
  attempt: number;
  from: 'deliveries' | 'notified' | 'retries' | 'replays';
  /** The number of attempts that were made before the current retry schedule began. */
  schedule_from: number;
  /** Null if the retry schedule caused the attempt. */
  trigger: Trigger | null;
  /**
   * How often somebody requested this delivery, as its row said when we read the row. If the row has a higher number
   * when we record the outcome, somebody requested the delivery again meanwhile.
   */
  asked: number | null;
};

/** A read of first attempts: at most `most` rows of a queue, with event ids greater than `after`. */
export type FirstAttemptsWanted = { webhook_id: string; after: string; most: number };

export type RetriesWanted = { webhook_id: string; most: number };

/** A retry, with the seconds until it is due. `wait` is 0 or less if it is due. */
export type Retry = Queued & { wait: number };

/** The rows that were read, by endpoint id. Endpoints without rows are not in the map. */
export type WaitingDeliveries = { firsts: Map<string, Queued[]>; retries: Map<string, Retry[]> };

/**
 * Reads the waiting deliveries of queues in one statement: first attempts in the order of their events, and retries in
 * the order of their due times. It also reads retries that are not due yet. The first of those determines the time of
 * the next read.
 */
export async function readQueue(
  db: Db,
  firsts: FirstAttemptsWanted[],
  retries: RetriesWanted[],
): Promise<WaitingDeliveries> {
  if (firsts.length === 0 && retries.length === 0) return { firsts: new Map(), retries: new Map() };
  const { rows } = await sql<Row>`
    select queue.webhook_id, row.event_id, null::integer as attempt, null::integer as schedule_from, null::text
        as trigger,
           null::smallint as asked, null::float8 as wait
      from unnest(${firsts.map((queue) => queue.webhook_id)}::uuid[], ${firsts.map((queue) => queue.after)}::uuid[],
                  ${firsts.map((queue) => queue.most)}::integer[]) as queue (webhook_id, after, most)
     cross join lateral (
       select event_id from deliveries
        where deliveries.webhook_id = queue.webhook_id and event_id > queue.after
        order by deliveries.webhook_id, event_id limit queue.most
     ) as row
    union all
    select queue.webhook_id, row.event_id, row.attempt + 1, row.schedule_from, row.trigger, row.asked,
           extract(epoch from row.due_at - now())::float8
      from unnest(${retries.map((queue) => queue.webhook_id)}::uuid[], ${retries.map((queue) => queue.most)}::integer[])
           as queue (webhook_id, most)
     cross join lateral (
       select event_id, attempt, schedule_from, trigger, asked, due_at from retries
        where retries.webhook_id = queue.webhook_id
        order by retries.webhook_id, due_at limit queue.most
     ) as row`.execute(db);
  const waiting: WaitingDeliveries = { firsts: new Map(), retries: new Map() };
  for (const row of rows) {
    if (row.attempt === null) addTo(waiting.firsts, firstAttempt(row, 'deliveries'));
    else addTo(waiting.retries, { ...row, from: 'retries' });
  }
  return waiting;
}

type Row =
  | { webhook_id: string; event_id: string; attempt: null }
  | {
      webhook_id: string;
      event_id: string;
      attempt: number;
      schedule_from: number;
      trigger: Trigger | null;
      asked: number | null;
      wait: number;
    };

type DeliveryKey = Pick<Queued, 'webhook_id' | 'event_id'>;

export const deliveryKeyOf = ({ webhook_id, event_id }: DeliveryKey): string => `${webhook_id} ${event_id}`;

export const firstAttempt = ({ webhook_id, event_id }: DeliveryKey, from: 'deliveries' | 'notified'): Queued => ({
  webhook_id,
  event_id,
  attempt: 1,
  from,
  schedule_from: 0,
  trigger: null,
  asked: null,
});

function addTo<Q extends Queued>(queues: Map<string, Q[]>, queued: Q): void {
  const queue = queues.get(queued.webhook_id);
  if (queue) queue.push(queued);
  else queues.set(queued.webhook_id, [queued]);
}

/**
 * Returns those of the deliveries that are still in the queue. If the queue has another fence than the given one,
 * another worker has leased it, and the function returns none of its deliveries.
 */
export async function stillQueued<D extends { webhook_id: string; event_id: string; fence: number }>(
  db: Db | Tx,
  deliveries: D[],
): Promise<D[]> {
  if (deliveries.length === 0) return [];
  const { rows } = await sql<{ n: number }>`
    select asked.n::integer as n
      from unnest(${deliveries.map((d) => d.webhook_id)}::uuid[], ${deliveries.map((d) => d.event_id)}::uuid[],
                  ${deliveries.map((d) => d.fence)}::integer[])
           with ordinality as asked (webhook_id, event_id, fence, n)
      join endpoint_queues on endpoint_queues.webhook_id = asked.webhook_id and endpoint_queues.fence = asked.fence
     where (select true from deliveries
             where deliveries.webhook_id = asked.webhook_id and deliveries.event_id = asked.event_id limit 1)
        or (select true from retries
             where retries.webhook_id = asked.webhook_id and retries.event_id between asked.event_id and asked.event_id
             order by retries.event_id limit 1)`.execute(db);
  return rows.map(({ n }) => deliveries[n - 1] as D);
}
