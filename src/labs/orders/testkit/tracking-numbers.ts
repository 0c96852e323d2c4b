import { sql } from 'kysely';
import { Type } from 'typebox';
import type { Ctx, TeamCtx, TxCtx } from '../../../context.ts';
import { addJob, jobKind } from '../../../db/define-job.ts';
import { lockNames } from '../../../db/session/named-lock.ts';
import { Uuid } from '../../../wire/schema.ts';
import type { OrderRow } from '../sealed.ts';
import { courierOf } from './couriers.ts';

/**
 * The job that changes the status of an order after carriers have scanned its parcels. The folder `carriers` implements
 * it.
 */
export const carrierScansKind = jobKind({
  name: 'follow_carrier_scans',
  payload: Type.Object({ team_id: Uuid, order_id: Uuid }),
  key: ({ order_id }) => `carrier scans ${order_id}`,
});

/**
 * Returns the hash of a tracking number, by which we find the parcel. People write the numbers with spaces and hyphens,
 * so the function removes these. Carriers do not know our teams, so the hash is the same for all teams.
 */
export const trackingNumberHash = ({ cipher }: Pick<Ctx, 'cipher'>, number: string): Buffer =>
  cipher.lookupHash('tracking_number', 'carriers', number.toUpperCase().replaceAll(/[\s-]/g, ''));

/**
 * Locks these tracking numbers until the end of the transaction. One transaction may store a parcel while another
 * stores its scan. The later transaction then waits here, and finds the row of the first.
 */
export async function lockTrackingNumbers({ db }: TxCtx<Ctx>, hashes: Buffer[]): Promise<void> {
  await lockNames(
    db,
    'tracking number',
    hashes.map((hash) => [hash.toString('hex')]),
  );
}

/** The tracking number of a parcel, and its courier if we know it. */
type Parcel = { leg: 'outbound' | 'inbound'; number: string; courier: string | null };

/** Replaces the hashes of tracking numbers by which scans lead to an order. */
export async function storeTrackingNumbers(ctx: TxCtx<TeamCtx>, row: OrderRow, parcels: Parcel[]): Promise<void> {
  if (parcels.length === 0) return;
  const hashes = parcels.map(({ number }) => trackingNumberHash(ctx, number));
  await lockTrackingNumbers(ctx, hashes);
  await ctx.db
    .insertInto('tracking_numbers')
    .values(
      parcels.map(({ leg, courier }, index) => ({
        user_id: row.user_id,
        order_id: row.id,
        team_id: ctx.team.id,
        leg,
        number_hash: hashes[index] as Buffer,
        courier: courier && courierOf(courier),
      })),
    )
    .onConflict((oc) =>
      oc.columns(['user_id', 'order_id', 'leg']).doUpdateSet((eb) => ({
        number_hash: eb.ref('excluded.number_hash'),
        courier: eb.ref('excluded.courier'),
        created_at: sql`now()`,
      })),
    )
    .execute();
  await addScansJob(ctx, row);
}

/**
 * If carriers have already scanned a parcel of this order, adds the job that changes the order's status. The job runs
 * after the commit.
 */
export async function addScansJob(ctx: TxCtx<TeamCtx>, { user_id, id }: OrderRow): Promise<void> {
  const { rows } = await sql`
    select from tracking_numbers join carrier_scans using (number_hash)
     where user_id = ${user_id} and order_id = ${id} limit 1`.execute(ctx.db);
  if (rows.length > 0) await addJob(ctx.db, carrierScansKind, { team_id: ctx.team.id, order_id: id });
}
