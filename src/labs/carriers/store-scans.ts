import { sql } from 'kysely';
import type { Ctx, TxCtx } from '../../context.ts';
import { addJobs } from '../../db/define-job.ts';
import { KIT_NOT_BACK } from '../orders/status/statuses.ts';
import { carrierScansKind, lockTrackingNumbers, trackingNumberHash } from '../orders/testkit/tracking-numbers.ts';
import type { Tracker } from './tracker-of.ts';

/** The most scans that we store for one parcel. */
const MAX_OF_A_PARCEL = 200;
/** The most scans that we store for one courier without a known order. Beyond that we delete the oldest. */
const MAX_UNKNOWN = 20_000;
/** The most scans without a known order that we delete while we handle one event, so that no event takes long. */
const MAX_DROPPED = 500;

/** The most teams whose orders we move by one number. */
const MAX_TEAMS = 100;

/**
 * Stores the scans of a parcel, and adds the job that moves the parcel's order. Returns whether we know an order.
 * Carriers reuse tracking numbers, so the scans belong to the newest order with this number whose kit has not come back
 * yet. Each team has its own: a team may name any number, and must not take the scans of another team by it.
 */
export async function storeScans(ctx: TxCtx<Ctx>, { number, courier, scans }: Tracker): Promise<boolean> {
  const { db } = ctx;
  const hash = trackingNumberHash(ctx, number);
  await lockTrackingNumbers(ctx, [hash]);
  const { rows: found } = await sql<{ team_id: string; order_id: string }>`
    select team_id, order_id from (
      select distinct on (tracking_numbers.team_id) tracking_numbers.team_id, order_id, tracking_numbers.created_at
        from tracking_numbers join orders on orders.user_id = tracking_numbers.user_id and orders.id = order_id
       where number_hash = ${hash} and (courier is null or courier = ${courier})
         and last_low_level_status = any (${KIT_NOT_BACK}::text[])
       order by tracking_numbers.team_id, tracking_numbers.created_at desc, order_id desc) as newest_of_teams
     order by created_at limit ${MAX_TEAMS}`.execute(db);
  const isKnown = found.length > 0;
  const { rows } = await sql`
    insert into carrier_scans (number_hash, courier, stage, scanned_at, is_known)
    select ${hash}, ${courier}, stage, scanned_at, ${isKnown}
      from unnest(${scans.map(({ stage }) => stage)}::text[],
                  ${scans.map(({ scanned_at }) => scanned_at)}::timestamptz[]) as scan (stage, scanned_at)
     where (select count(*) from carrier_scans where number_hash = ${hash}) < ${MAX_OF_A_PARCEL}
        on conflict do nothing returning stage`.execute(db);
  if (rows.length === 0) return isKnown;
  await addJobs(
    db,
    carrierScansKind,
    found.map((payload) => ({ payload })),
  );
  if (!isKnown) await dropOldestUnknown(ctx, courier);
  return isKnown;
}

async function dropOldestUnknown({ db }: TxCtx<Ctx>, courier: string): Promise<void> {
  await sql`
    delete from carrier_scans where ctid = any (array (
      select ctid from carrier_scans where courier = ${courier} and not is_known
       order by received_at desc offset ${MAX_UNKNOWN} limit ${MAX_DROPPED}))`.execute(db);
}
