import { sql } from 'kysely';
import type { Db } from '../db/open.ts';
import type { Metrics } from '../http/metrics.ts';

/** Sets the gauges of the delivery queue. The oldest due row of each endpoint is the first of an index. */
export async function measureQueue(
  db: Db,
  metrics: Pick<Metrics, 'deliveriesWaiting' | 'oldestDueSeconds'>,
): Promise<void> {
  const {
    rows: [queue],
  } = await sql<{ waiting: number; oldest: number }>`
    select (select count(*)::float8 from deliveries) as waiting,
           (select coalesce(extract(epoch from now() - least(min(first.at), now())), 0)::float8
              from webhooks cross join unnest(array[true, false]) as kind (is_first) cross join lateral (
                select min(next_attempt_at) as at from deliveries
                 where webhook_id = webhooks.id and (attempt = 0) = kind.is_first
              ) as first
             where not webhooks.disabled) as oldest`.execute(db);
  metrics.deliveriesWaiting.set(queue?.waiting ?? 0);
  metrics.oldestDueSeconds.set(queue?.oldest ?? 0);
}
