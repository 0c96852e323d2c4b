import { CompiledQuery } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { preparedStatement } from '../../db/session/prepared.ts';
import { AppError, notFound } from '../../errors.ts';
import { signedUrl } from '../../privacy/signed-link.ts';
import { reachesDocuments } from '../../tenancy/keys/scopes.ts';
import { keptLabTests, labTestOf } from '../catalogue/keep.ts';
import { LAB_TEST_REVISION } from '../catalogue/lab-test-json.ts';
import type { LabTest } from '../catalogue/schemas.ts';
import type { OrderRules } from './pre-flight.ts';
import type { LabConnection } from './send-out.ts';
import type { OrderEvent, Shipment } from './schemas.ts';
import { openOrder, openShipment, type OrderRow, type StoredOrder, type StoredShipment } from './sealed.ts';
import { isOpen, type LowLevelStatus } from './status/table.ts';

export type OrderEventRow = Static<typeof OrderEvent>;

/** What a transaction tells of each of its orders. */
export type Sibling = Pick<
  OrderRow,
  'id' | 'origin' | 'parent_id' | 'last_low_level_status' | 'last_event_at' | 'created_at' | 'updated_at'
>;

type OrderLab = {
  id: number;
  connection: LabConnection;
  /** Whose patients it serves; null: everybody. */
  states: string[] | null;
  order_rules: OrderRules;
};

/** A row of `labs` as OrderLab. */
export const ORDER_LAB = `json_build_object('id', labs.id, 'connection', labs.connection, 'states', labs.states,
  'order_rules', labs.order_rules)`;

/** An order with everything that a list shows of it. */
export type ListedOrder = {
  row: ListedRow;
  events: OrderEventRow[];
  shipment: Static<typeof Shipment> | null;
  /** Its newest appointment; null while there is none. */
  appointment_id: string | null;
  /** The orders of its transaction, itself among them, oldest first. */
  transaction: Sibling[];
  labTest: LabTest;
  /** Something that the laboratory sent for it, or refused of it, waits for the operator. */
  inReview: boolean;
  /** Opens its requisition, where there is one: as the key that calls may have it, and as events tell it, which no key obtains. */
  requisitionUrl: RequisitionUrl;
};

/** An order with everything its answer is made of. */
export type LoadedOrder = ListedOrder & {
  row: OrderRow;
  user: { id: string; client_user_id: string };
  /** The laboratory of the lab test, as it matters to orders. */
  lab: OrderLab;
};

/** What no answer shows of an order is left out of pages: a part of it would be opened for nothing. */
const UNLISTED = ['parent_id', 'lab_account_id', 'consents', 'aoe_answers', 'last_event_id', 'last_event_at'] as const;
type ListedRow = Omit<OrderRow, (typeof UNLISTED)[number]>;

/** Signed when it is asked for: each answer shows one of the two. */
type RequisitionUrl = { readonly ofKey: string | null; readonly ofEvents: string };

export const requisitionUrlOf = (ctx: TeamCtx, order: { id: string }): RequisitionUrl => {
  const record = { team_id: ctx.team.id, id: order.id };
  return {
    get ofKey() {
      return reachesDocuments(ctx) ? signedUrl(ctx, 'requisition', record) : null;
    },
    get ofEvents() {
      const { keyId: _, ...withoutKey } = ctx;
      return signedUrl(withoutKey, 'requisition', record);
    },
  };
};

const LISTED_COLUMNS = `orders.user_id, orders.id, orders.team_id, orders.order_transaction_id, orders.origin, orders.lab_test_id,
  orders.details_id, orders.method, orders.sample_id, orders.personal, orders.patient_details, orders.patient_address, orders.shipping_details,
  orders.physician, orders.health_insurance_id, orders.billing_type, orders.icd_codes, orders.notes, orders.clinical_notes,
  orders.passthrough, orders.priority, orders.activate_by, orders.has_abn, orders.interpretation, orders.has_missing_results,
  orders.last_status, orders.last_low_level_status, orders.created_at, orders.updated_at`;

/** What a list shows of an order, read from LISTED_WITH. Each part is looked up by a key that leads to one order. */
export const LISTED_ORDER = `${LISTED_COLUMNS}, ${LAB_TEST_REVISION} as lab_test_revision,
  (select json_agg(json_build_array(e.id, e.status, e.status_detail, e.created_at) order by e.id)
     from order_events e where e.user_id = orders.user_id and e.order_id = orders.id) as events,
  (select row_to_json(s) from shipments s where s.user_id = orders.user_id and s.order_id = orders.id) as shipment,
  exists (select from hl7_messages m
           where m.order_id = orders.id and m.team_id = orders.team_id and m.state = 'failed') as in_review,
  exists (select from laboratory_outbox o where o.user_id = orders.user_id and o.order_id = orders.id
             and o.action = 'new' and o.state = 'refused') as is_refused,
  case when orders.method in ('walk_in_test', 'at_home_phlebotomy') then (
    select a.id from appointments a where a.user_id = orders.user_id and a.order_id = orders.id order by a.id desc limit 1
  ) end as appointment_id,
  (select json_agg(json_build_array(t.id, t.origin, t.parent_id, t.last_low_level_status, t.last_event_at, t.created_at, t.updated_at))
     from orders t where t.team_id = orders.team_id and t.order_transaction_id = orders.order_transaction_id) as transaction`;

/**
 * What LISTED_ORDER reads from, where `orders` is named already. With `offset 0` each order looks its own rows up by their keys:
 * as plain joins they would be planned by statistics, and read all users of the deployment where those lag behind.
 */
export const LISTED_WITH = `cross join lateral (select revision, lab_id from lab_tests where lab_tests.id = orders.lab_test_id offset 0) as lab_tests
  cross join lateral (select id, revision, connection, states, order_rules from labs where labs.id = lab_tests.lab_id offset 0) as labs`;

/**
 * An order whole, in one statement however much hangs on it: a row of `orders` joined with its user, lab test and lab.
 * Each part is looked up by a key that leads to one order, so one plan is right at every size of the tables; the orders
 * of the transaction are sorted afterwards, since an index in their order would be taken for the one that finds them.
 */
export const WHOLE_ORDER = `${LISTED_ORDER}, ${UNLISTED.map((column) => `orders.${column}`).join(', ')},
  users.client_user_id, users.deleted_at as user_deleted_at, ${ORDER_LAB} as lab`;

/** What WHOLE_ORDER reads from. */
export const JOINED = `${LISTED_WITH}
  cross join lateral (select client_user_id, deleted_at from users where users.id = orders.user_id offset 0) as users`;

export type StoredListedOrder = Omit<StoredOrder, (typeof UNLISTED)[number]> & {
  lab_test_revision: string;
  events: [id: number, status: string, status_detail: string | null, created_at: string][];
  in_review: boolean;
  is_refused: boolean;
  appointment_id: string | null;
  shipment: (StoredShipment & { created_at: string; updated_at: string }) | null;
  transaction: [
    id: string,
    origin: string,
    parent_id: string | null,
    status: LowLevelStatus,
    last_event_at: string,
    created_at: string,
    updated_at: string,
  ][];
};

export type WholeOrder = StoredOrder &
  StoredListedOrder & { client_user_id: string; user_deleted_at: string | null; lab: OrderLab };

const READ = `select ${WHOLE_ORDER} from orders ${JOINED} where orders.team_id = $1 and orders.id = $2`;

/** One order of the caller's team. */
export async function loadOrder(ctx: TeamCtx, orderId: string): Promise<LoadedOrder> {
  const {
    rows: [row],
  } = await ctx.db.executeQuery<WholeOrder>(
    preparedStatement('read order', CompiledQuery.raw(READ, [ctx.team.id, orderId])),
  );
  if (!row) throw notFound('Order');
  if (row.user_deleted_at !== null) {
    throw ofLeavingUser();
  }
  const [order] = await toOrders(ctx, [row]);
  return order as LoadedOrder;
}

export const ofLeavingUser = (): AppError =>
  new AppError('user_scheduled_for_deletion', 'The user of this order is scheduled for deletion.');

const READ_ALL = `select ${WHOLE_ORDER} from orders ${JOINED} where orders.team_id = $1 and orders.id = any ($2::uuid[])`;

/** Orders of the caller's team in the order of their ids here; unknown ones, and those of users who are leaving, are left out. */
export async function loadOrders(ctx: TeamCtx, ids: string[]): Promise<LoadedOrder[]> {
  if (ids.length === 0) return [];
  const { rows } = await ctx.db.executeQuery<WholeOrder>(CompiledQuery.raw(READ_ALL, [ctx.team.id, ids]));
  const present = rows.filter(({ user_deleted_at }) => user_deleted_at === null);
  const orders = new Map((await toOrders(ctx, present)).map((order) => [order.row.id, order]));
  return ids.flatMap((id) => orders.get(id) ?? []);
}

const LOCK = 'select from orders where team_id = $1 and id = $2 for update';

/**
 * One order of the caller's team, as it is from here to the end of the transaction. Locked first and read then: what
 * a statement reads beside the row it waits for is as old as the statement.
 */
export async function lockOrder(ctx: TxCtx<TeamCtx>, orderId: string): Promise<LoadedOrder> {
  await ctx.db.executeQuery(preparedStatement('lock order', CompiledQuery.raw(LOCK, [ctx.team.id, orderId])));
  return loadOrder(ctx, orderId);
}

/** The same for background work; null where the order is gone or its user is scheduled for deletion: then nothing moves. */
export async function lockOrderIfPresent(ctx: TxCtx<TeamCtx>, orderId: string): Promise<LoadedOrder | null> {
  try {
    return await lockOrder(ctx, orderId);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** `2026-01-02T03:04:05.6+00:00`, as the database writes a time into JSON, in the form of the wire. */
const iso = (time: string): string => {
  if (time[23] === '+') return `${time.slice(0, 23)}Z`;
  const fraction = time[19] === '.' ? time.slice(20, time.indexOf('+', 20)) : '';
  return `${time.slice(0, 19)}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
};

/** Opens what was read and adds the lab tests. */
export async function toOrders(ctx: TeamCtx, rows: WholeOrder[]): Promise<LoadedOrder[]> {
  const orders = (await toListedOrders(ctx, rows)) as (ListedOrder & { row: WholeOrder & OrderRow })[];
  return orders.map((order) => {
    const { user_id, client_user_id, lab } = order.row;
    return { ...order, user: { id: user_id, client_user_id }, lab };
  });
}

/** As toOrders, of what a list shows. */
export async function toListedOrders(ctx: TeamCtx, rows: StoredListedOrder[]): Promise<ListedOrder[]> {
  const labTests = await keptLabTests(
    ctx,
    rows.map(({ lab_test_id, lab_test_revision }) => ({ id: lab_test_id, revision: lab_test_revision })),
  );
  return rows.map((stored) => {
    const { events, shipment, transaction, in_review, is_refused, appointment_id } = stored;
    const row = openOrder(ctx, stored);
    return {
      row,
      events: events.map(([id, status, status_detail, time]) => ({ id, created_at: iso(time), status, status_detail })),
      appointment_id,
      inReview: in_review || (is_refused && isOpen(row.last_low_level_status)),
      shipment: shipment && {
        ...openShipment(ctx, shipment),
        created_at: iso(shipment.created_at),
        updated_at: iso(shipment.updated_at),
      },
      transaction: transaction
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([id, origin, parent_id, last_low_level_status, lastEvent, created, updated]) => ({
          id,
          origin,
          parent_id,
          last_low_level_status,
          last_event_at: iso(lastEvent),
          created_at: iso(created),
          updated_at: iso(updated),
        })),
      labTest: labTestOf(labTests, row.lab_test_id),
      requisitionUrl: requisitionUrlOf(ctx, row),
    };
  });
}
