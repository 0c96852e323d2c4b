import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { AppError, notFound } from '../../errors.ts';
import { loadLabTests } from '../catalogue/find.ts';
import type { LabTest } from '../catalogue/schemas.ts';
import type { OrderEvent, Shipment } from './schemas.ts';
import type { CollectionMethod, LowLevelStatus } from './status/table.ts';

/** Runs inside a transaction or outside of one. */
export type OrderScope = Pick<TeamCtx | TxCtx<TeamCtx>, 'db' | 'team'>;

export type OrderEventRow = Static<typeof OrderEvent>;

export type OrderRow = {
  id: string;
  team_id: string;
  user_id: string;
  order_transaction_id: string;
  origin: string;
  lab_test_id: string;
  details_id: string;
  method: CollectionMethod;
  sample_id: string | null;
  patient_details: Record<string, unknown> | null;
  patient_address: Record<string, unknown> | null;
  shipping_details: Record<string, unknown> | null;
  physician: Record<string, unknown> | null;
  health_insurance_id: string | null;
  billing_type: string;
  icd_codes: string[] | null;
  notes: string | null;
  clinical_notes: string | null;
  passthrough: string | null;
  priority: boolean;
  activate_by: string | null;
  has_abn: boolean;
  interpretation: string | null;
  has_missing_results: boolean | null;
  last_low_level_status: LowLevelStatus;
  created_at: string;
  updated_at: string;
};

type TransactionOrderRow = Pick<
  OrderRow,
  'id' | 'order_transaction_id' | 'origin' | 'last_low_level_status' | 'created_at' | 'updated_at'
> & { last_event_at: string };

/** An order with everything its answer is made of. */
export type LoadedOrder = {
  row: OrderRow;
  events: OrderEventRow[];
  shipment: Static<typeof Shipment> | null;
  transaction: TransactionOrderRow[];
  labTest: LabTest;
};

/** One order of the caller's team. */
export async function loadOrder(ctx: OrderScope, orderId: string): Promise<LoadedOrder> {
  const row = await findOrderRow(ctx, orderId);
  const [order] = await completeOrders(ctx, [row]);
  return order as LoadedOrder;
}

/** The row of an order of the caller's team, locked until the transaction ends where `lock` says so. */
export async function findOrderRow(
  ctx: OrderScope,
  orderId: string,
  lock: 'for update' | null = null,
): Promise<OrderRow> {
  const {
    rows: [row],
  } = await sql<OrderRow & { user_deleted_at: string | null }>`
    select orders.*, (select deleted_at from users where users.id = orders.user_id) as user_deleted_at
      from orders where team_id = ${ctx.team.id} and id = ${orderId} ${sql.raw(lock ?? '')}`.execute(ctx.db);
  if (!row) throw notFound('Order');
  if (row.user_deleted_at !== null) {
    throw new AppError('user_scheduled_for_deletion', 'The user of this order is scheduled for deletion.');
  }
  return row;
}

/** Locks an order for background work; false where it is gone or its user is scheduled for deletion: then nothing moves. */
export async function lockOrderIfPresent(ctx: TxCtx<TeamCtx>, orderId: string): Promise<boolean> {
  const { rows } = await sql`
    select id from orders
     where team_id = ${ctx.team.id} and id = ${orderId}
       and not exists (select from users where users.id = orders.user_id and users.deleted_at is not null)
       for update`.execute(ctx.db);
  return rows.length > 0;
}

/** Reads what hangs on the orders, a statement a kind however many orders there are. */
export async function completeOrders(ctx: OrderScope, rows: OrderRow[]): Promise<LoadedOrder[]> {
  if (rows.length === 0) return [];
  const users = rows.map((row) => row.user_id);
  const ids = rows.map((row) => row.id);
  const { rows: events } = await sql<OrderEventRow & { order_id: string }>`
    select order_id, order_events.id, status, status_detail, created_at
      from unnest(${users}::uuid[], ${ids}::uuid[]) as wanted (user_id, order_id)
      join order_events using (user_id, order_id)
     order by order_id, order_events.id`.execute(ctx.db);
  const { rows: shipments } = await sql<Static<typeof Shipment> & { order_id: string }>`
    select shipments.* from unnest(${users}::uuid[], ${ids}::uuid[]) as wanted (user_id, order_id)
      join shipments using (user_id, order_id)`.execute(ctx.db);
  const { rows: siblings } = await sql<TransactionOrderRow>`
    select id, order_transaction_id, origin, last_low_level_status, last_event_at, created_at, updated_at
      from orders where team_id = ${ctx.team.id}
       and order_transaction_id = any (${rows.map((row) => row.order_transaction_id)}::uuid[])
     order by id`.execute(ctx.db);
  const labTests = await loadLabTests(ctx, [...new Set(rows.map((row) => row.lab_test_id))]);
  return rows.map((row) => ({
    row,
    events: events.filter((event) => event.order_id === row.id).map(({ order_id: _, ...event }) => event),
    shipment: shipments.find((shipment) => shipment.order_id === row.id) ?? null,
    transaction: siblings.filter((sibling) => sibling.order_transaction_id === row.order_transaction_id),
    labTest: labTests.get(row.lab_test_id) as LabTest,
  }));
}
