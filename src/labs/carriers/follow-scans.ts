import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { inTransaction } from '../../db/transaction.ts';
import { defineTeamJob } from '../../tenancy/teams/define-team-job.ts';
import { lockOrderIfPresent, type LoadedOrder } from '../orders/load-order.ts';
import { progressOfOrder } from '../orders/status/order-progress.ts';
import { KIT_NOT_BACK } from '../orders/status/statuses.ts';
import { carrierScansKind } from '../orders/testkit/tracking-numbers.ts';
import { applyLabUpdate } from '../laboratories/apply-lab-update.ts';
import { STAGES, type Leg, type Stage } from './stages.ts';
import { stepsBy } from './parcel-steps.ts';

/**
 * The job that moves an order to the status that follows from the scans of its parcels. A second run changes nothing,
 * because the order already has that status.
 */
export const carrierScans = defineTeamJob({
  ...carrierScansKind,
  run: (ctx, { order_id }) => inTransaction(ctx, (tx) => follow(tx, order_id)),
});

async function follow(ctx: TxCtx<TeamCtx>, orderId: string): Promise<void> {
  let order = await lockOrderIfPresent(ctx, orderId);
  // Once the laboratory has reported that the kit arrived, we ignore scans of carriers.
  if (!order || !KIT_NOT_BACK.includes(order.row.last_low_level_status)) return;
  const scans = await scansOf(ctx, order);
  for (const leg of ['outbound', 'inbound'] as const) {
    const stages = scans.filter((scan) => scan.leg === leg).map(({ stage }) => stage);
    for (const status of stepsBy(progressOfOrder(order), leg, stages))
      order = await applyLabUpdate(ctx, order, { status });
  }
}

/** How long a number stays with an order although another team names it too. No parcel travels longer. */
const OWN_DAYS = 60;

/**
 * Returns the scans of an order's parcels, sorted by the times of the scans.
 * Carriers reuse tracking numbers. A scan that is older than the order belongs to an earlier parcel, so we omit it. If
 * a newer order of the team got the same number, we omit the scans from then on. For an order of another team we do so
 * only after 60 days, because a team may name any number.
 */
async function scansOf(ctx: TxCtx<TeamCtx>, { row }: LoadedOrder): Promise<{ leg: Leg; stage: Stage }[]> {
  const { rows } = await sql<{ leg: Leg; stage: Stage; hash: Buffer }>`
    with mine as (
      select leg, number_hash, courier, created_at, coalesce((
               select min(case when newer.team_id = own.team_id then newer.created_at
                          else greatest(newer.created_at, own.created_at + make_interval(days => ${OWN_DAYS})) end)
                 from tracking_numbers newer
                where newer.number_hash = own.number_hash and newer.order_id <> own.order_id
                  and newer.created_at > own.created_at), 'infinity') as until
        from tracking_numbers own where user_id = ${row.user_id} and order_id = ${row.id}
    ), found as (
      select mine.leg, scan.* from mine join carrier_scans scan on scan.number_hash = mine.number_hash
         and (mine.courier is null or mine.courier = scan.courier)
         and scan.scanned_at >= ${row.created_at}::timestamptz - interval '1 day' and scan.scanned_at < mine.until
    ), known as (
      update carrier_scans set is_known = true
       where not is_known and number_hash in (select number_hash from found)
    )
    select leg, stage from found order by scanned_at, array_position(${[...STAGES]}::text[], stage)`.execute(
    acrossTeams(ctx).db,
  );
  return rows;
}
