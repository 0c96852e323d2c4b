import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../db/open-database.ts';
import type { Metrics } from '../../metrics.ts';

const COUNTED = 10_000;
const QUEUES_EXAMINED = 1_000;

/**
 * SQL: the time since which the oldest delivery to an endpoint is due, null if none waits. `endpoint` is SQL of its id.
 * The time of a first attempt is in the id of its event.
 */
export const oldestDueOf = (endpoint: RawBuilder<unknown>): RawBuilder<string | null> => sql`
             least(
               (select due_at from retries where retries.webhook_id = ${endpoint} order by due_at limit 1),
               (select to_timestamp(('x' || left(replace(event_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
                  from deliveries where deliveries.webhook_id = ${endpoint} order by event_id limit 1)
             )`;

/**
 * Sets the gauges of the delivery queue. It reads a limited number of rows. It counts up to 10,000 deliveries, and uses
 * PostgreSQL's estimate if there are more. It looks for the oldest due delivery in queues that have an owner or that
 * are due.
 */
export async function measureQueue(
  db: Db,
  metrics: Pick<Metrics, 'deliveriesWaiting' | 'oldestDueSeconds'>,
): Promise<void> {
  const {
    rows: [queue],
  } = await sql<{ waiting: number; oldest: number }>`
    with counted as materialized (
      select (select count(*) from (select from deliveries limit ${COUNTED}) as first_ones) as firsts,
             (select count(*) from (select from retries limit ${COUNTED}) as first_ones) as retries
    ), estimated as (
      select greatest(firsts, case when firsts = ${COUNTED} then (select reltuples from pg_class
          where oid = 'deliveries'::regclass) end)
           + greatest(retries, case when retries = ${COUNTED} then (select reltuples from pg_class
               where oid = 'retries'::regclass) end)
             as waiting
        from counted
    ), looked_at as (
      (select webhook_id from endpoint_queues where owner is not null limit ${QUEUES_EXAMINED})
      union (select webhook_id from endpoint_queues where wake_at <= now() order by wake_at limit ${QUEUES_EXAMINED})
    ), oldest as (
      select ${oldestDueOf(sql`looked_at.webhook_id`)} as due_at
        from looked_at join webhooks on webhooks.id = looked_at.webhook_id and not webhooks.disabled
    )
    select (select waiting::float8 from estimated) as waiting,
           (select coalesce(greatest(extract(epoch from now() - min(due_at)), 0), 0)::float8 from oldest) as oldest
  `.execute(db);
  metrics.deliveriesWaiting.set(queue?.waiting ?? 0);
  metrics.oldestDueSeconds.set(queue?.oldest ?? 0);
}
