import { sql } from 'kysely';
import { Type } from 'typebox';
import type { Ctx, TeamCtx, TxCtx } from '../../../context.ts';
import { addJob, jobKind } from '../../../db/define-job.ts';
import { lockNames } from '../../../db/session/named-lock.ts';
import { Uuid } from '../../../wire/schema.ts';
import type { OrderRow } from '../sealed.ts';
import { courierOf } from './couriers.ts';

/** The job that has an order follow what carriers told of its parcels; what it does stands with the laboratories. */
export const carrierScansKind = jobKind({
  name: 'follow_carrier_scans',
  payload: Type.Object({ team_id: Uuid, order_id: Uuid }),
  key: ({ order_id }) => `carrier scans ${order_id}`,
});

/** What a parcel is found by; spaces and hyphens are how people write a number. Carriers know nothing of teams. */
export const trackingNumberHash = ({ cipher }: Pick<Ctx, 'cipher'>, number: string): Buffer =>
  cipher.lookupHash('tracking_number', 'carriers', number.toUpperCase().replaceAll(/[\s-]/g, ''));

/**
 * From here to the end of the transaction nobody else says whose these numbers are, nor what became of them: of a parcel and
 * its scan that are stored at the same time, the later one finds the other.
 */
export async function holdTrackingNumbers({ db }: TxCtx<Ctx>, hashes: Buffer[]): Promise<void> {
  await lockNames(
    db,
    'tracking number',
    hashes.map((hash) => [hash.toString('hex')]),
  );
}

/** A number of a parcel, and by whom it travels where that is known. */
type Parcel = { leg: 'outbound' | 'inbound'; number: string; courier: string | null };

/** Replaces what the parcels of an order are found by. */
export async function storeTrackingNumbers(ctx: TxCtx<TeamCtx>, row: OrderRow, parcels: Parcel[]): Promise<void> {
  if (parcels.length === 0) return;
  const hashes = parcels.map(({ number }) => trackingNumberHash(ctx, number));
  await holdTrackingNumbers(ctx, hashes);
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
  await askForScans(ctx, row);
}

/** Where carriers have told of a parcel of this order: has the order follow that, once this transaction is there. */
export async function askForScans(ctx: TxCtx<TeamCtx>, { user_id, id }: OrderRow): Promise<void> {
  const { rows } = await sql`
    select from tracking_numbers join carrier_scans using (number_hash)
     where user_id = ${user_id} and order_id = ${id} limit 1`.execute(ctx.db);
  if (rows.length > 0) await addJob(ctx.db, carrierScansKind, { team_id: ctx.team.id, order_id: id });
}
