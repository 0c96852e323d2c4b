import { sql } from 'kysely';
import type { Db } from '../../db/open-database.ts';

/** An id that is smaller than the id of every endpoint. */
export const BEGINNING = '00000000-0000-0000-0000-000000000000';

/**
 * Returns the next endpoints that have first attempts in the queue, in the order of their ids, starting after the id
 * `after`. Usually notifications inform workers about new deliveries. This function finds deliveries whose notification
 * no worker received. Its cost does not grow with the number of deliveries: it looks into the index once for each
 * endpoint that it returns.
 */
export async function findEndpointsWithDeliveries(db: Db, after: string, most: number): Promise<string[]> {
  const { rows } = await sql<{ webhook_id: string }>`
    with recursive found as (
      (select webhook_id, 1 as number from deliveries where webhook_id > ${after} order by webhook_id limit 1)
      union all
      select next.webhook_id, found.number + 1
        from found cross join lateral (
          select webhook_id from deliveries where webhook_id > found.webhook_id order by webhook_id limit 1
        ) as next
       where found.number < ${most}
    )
    select webhook_id from found`.execute(db);
  return rows.map((row) => row.webhook_id);
}

const MAX_SWEPT = 1_000;

/**
 * Deletes deliveries to deleted endpoints. They exist if an endpoint was deleted while an event was being published to
 * it.
 */
export async function sweepOrphans(db: Db, webhookIds: string[]): Promise<void> {
  if (webhookIds.length === 0) return;
  await sql`
    with gone as materialized (
      select webhook_id from unnest(${webhookIds}::uuid[]) as found (webhook_id)
       where not exists (select from webhooks where id = found.webhook_id)
    ), rows as (
      select row.ctid from gone cross join lateral (
        select ctid from deliveries where webhook_id = gone.webhook_id limit ${MAX_SWEPT}
      ) as row
    )
    delete from deliveries where ctid = any (array (select ctid from rows))`.execute(db);
}
