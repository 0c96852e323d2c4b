import { CompiledQuery } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { preparedStatement } from '../../db/session/prepared.ts';
import { AppError, notFound } from '../../errors.ts';
import { signedUrl } from '../../privacy/signed-link.ts';
import { reachesDocuments } from '../../tenancy/keys/key-scopes.ts';
import { getCachedLabTests, labTestOf } from '../catalogue/lab-test-cache.ts';
import { LAB_TEST_REVISION } from '../catalogue/lab-test-json.ts';
import type { LabTest } from '../catalogue/schemas.ts';
import type { OrderRules } from './pre-flight.ts';
import type { LabConnection } from './send-out.ts';
import type { OrderEvent, Shipment } from './schemas.ts';
import { openOrder, openShipment, type OrderRow, type StoredOrder, type StoredShipment } from './sealed.ts';
import { isOpen, type LowLevelStatus } from './status/statuses.ts';

export type OrderEventRow = Static<typeof OrderEvent>;

/** The fields that a response shows for each order of a transaction. */
export type Sibling = Pick<
  OrderRow,
  'id' | 'origin' | 'parent_id' | 'last_low_level_status' | 'last_event_at' | 'created_at' | 'updated_at'
>;

type OrderLab = {
  id: number;
  connection: LabConnection;
  /** The states whose patients this laboratory serves. null means all states. */
  states: string[] | null;
  order_rules: OrderRules;
};

/** An SQL expression that changes a row of `labs` to an OrderLab. */
export const ORDER_LAB = `json_build_object('id', labs.id, 'connection', labs.connection, 'states', labs.states,
  'order_rules', labs.order_rules)`;

/** An order with all data that a list shows. */
export type ListedOrder = {
  row: ListedRow;
  events: OrderEventRow[];
  shipment: Static<typeof Shipment> | null;
  /** The id of the order's newest appointment, or null. */
  appointment_id: string | null;
  /** The orders of the same transaction, including this order, oldest first. */
  transaction: Sibling[];
  labTest: LabTest;
  /**
   * True if the operator must review a message of the laboratory about this order, or the laboratory's refusal of this
   * order.
   */
  inReview: boolean;
  /** The link that opens the order's requisition, if the order has one. */
  requisitionUrl: RequisitionUrl;
};

/** An order with all data that the response for a single order needs. */
export type LoadedOrder = ListedOrder & {
  row: OrderRow;
  user: { id: string; client_user_id: string };
  /** The laboratory of the lab test, with the fields that the module `orders` uses. */
  lab: OrderLab;
};

/**
 * Columns that no list shows. Statements for lists do not select them, because decrypting their sealed values would be
 * wasted.
 */
const UNLISTED = ['parent_id', 'lab_account_id', 'consents', 'aoe_answers', 'last_event_id', 'last_event_at'] as const;
type ListedRow = Omit<OrderRow, (typeof UNLISTED)[number]>;

/**
 * The two links to a requisition, the order form on paper. `ofKey` is the link for the caller's key, or null if this
 * key may not read documents. `ofEvents` is the link in events, which is the same for all keys. A response or an event
 * uses only one of the two, so we sign a link only when the code reads it.
 */
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

const LISTED_COLUMNS = `orders.user_id, orders.id, orders.team_id, orders.order_transaction_id, orders.origin,
  orders.lab_test_id, orders.details_id, orders.method, orders.sample_id, orders.personal, orders.patient_details,
  orders.patient_address, orders.shipping_details, orders.physician, orders.health_insurance_id, orders.billing_type,
  orders.icd_codes, orders.notes, orders.clinical_notes, orders.passthrough, orders.priority, orders.activate_by,
  orders.has_abn, orders.interpretation, orders.has_missing_results,
  orders.last_status, orders.last_low_level_status, orders.created_at, orders.updated_at`;

/**
 * The columns that a list shows of an order. They need LISTED_WITH in the FROM clause. Each subquery finds its rows by
 * the key of one order.
 */
export const LISTED_ORDER = `${LISTED_COLUMNS}, ${LAB_TEST_REVISION} as lab_test_revision,
  (select json_agg(json_build_array(e.id, e.status, e.status_detail, e.created_at) order by e.id)
     from order_events e where e.user_id = orders.user_id and e.order_id = orders.id) as events,
  (select row_to_json(s) from shipments s where s.user_id = orders.user_id and s.order_id = orders.id) as shipment,
  exists (select from hl7_messages m
           where m.order_id = orders.id and m.team_id = orders.team_id and m.state = 'failed') as in_review,
  exists (select from laboratory_outbox o where o.user_id = orders.user_id and o.order_id = orders.id
             and o.action = 'new' and o.state = 'refused') as is_refused,
  case when orders.method in ('walk_in_test', 'at_home_phlebotomy') then (
    select a.id from appointments a where a.user_id = orders.user_id and a.order_id = orders.id
     order by a.id desc limit 1
  ) end as appointment_id,
  (select json_agg(json_build_array(t.id, t.origin, t.parent_id, t.last_low_level_status, t.last_event_at, t.created_at,
                                    t.updated_at))
     from orders t where t.team_id = orders.team_id and t.order_transaction_id = orders.order_transaction_id)
     as transaction`;

/**
 * The part of the FROM clause after `orders` that LISTED_ORDER needs. PostgreSQL plans plain joins by its statistics.
 * If the statistics are outdated, it may read a whole table for one page. `offset 0` forces it to find the rows of each
 * order by their keys.
 */
export const LISTED_WITH = `cross join lateral (
    select revision, lab_id from lab_tests where lab_tests.id = orders.lab_test_id offset 0) as lab_tests
  cross join lateral (
    select id, revision, connection, states, order_rules from labs where labs.id = lab_tests.lab_id offset 0) as labs`;

/**
 * The columns of an order with all data, in one statement. They join a row of `orders` with its user, lab test and
 * laboratory. Each subquery finds its rows by the key of one order, so the same plan is right for tables of every size.
 * The statement does not sort the orders of the order transaction, because with `order by` PostgreSQL would choose
 * another, slower index. `toListedOrders` sorts them.
 */
export const WHOLE_ORDER = `${LISTED_ORDER}, ${UNLISTED.map((column) => `orders.${column}`).join(', ')},
  users.client_user_id, users.deleted_at as user_deleted_at, ${ORDER_LAB} as lab`;

/** The part of the FROM clause after `orders` that WHOLE_ORDER needs. */
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

/** Loads one order of the caller's team. Throws not_found, and user_scheduled_for_deletion. */
export async function loadOrder(ctx: TeamCtx, orderId: string): Promise<LoadedOrder> {
  const {
    rows: [row],
  } = await ctx.db.executeQuery<WholeOrder>(
    preparedStatement('read order', CompiledQuery.raw(READ, [ctx.team.id, orderId])),
  );
  if (!row) throw notFound('Order');
  if (row.user_deleted_at !== null) {
    throw isUserScheduledForDeletion();
  }
  const [order] = await toOrders(ctx, [row]);
  return order as LoadedOrder;
}

export const isUserScheduledForDeletion = (): AppError =>
  new AppError('user_scheduled_for_deletion', 'The user of this order is scheduled for deletion.');

const READ_ALL = `select ${WHOLE_ORDER} from orders ${JOINED}
  where orders.team_id = $1 and orders.id = any ($2::uuid[])`;

/**
 * Loads orders of the caller's team, in the order of `ids`. It skips unknown ids, and orders of users who are scheduled
 * for deletion.
 */
export async function loadOrders(ctx: TeamCtx, ids: string[]): Promise<LoadedOrder[]> {
  if (ids.length === 0) return [];
  const { rows } = await ctx.db.executeQuery<WholeOrder>(CompiledQuery.raw(READ_ALL, [ctx.team.id, ids]));
  const present = rows.filter(({ user_deleted_at }) => user_deleted_at === null);
  const orders = new Map((await toOrders(ctx, present)).map((order) => [order.row.id, order]));
  return ids.flatMap((id) => orders.get(id) ?? []);
}

const LOCK = 'select from orders where team_id = $1 and id = $2 for update';

/**
 * Locks one order of the caller's team until the end of the transaction, and loads it. We lock in a first statement and
 * read in a second one. A single statement that waits for the lock would see other rows as they were before it waited.
 */
export async function lockOrder(ctx: TxCtx<TeamCtx>, orderId: string): Promise<LoadedOrder> {
  await ctx.db.executeQuery(preparedStatement('lock order', CompiledQuery.raw(LOCK, [ctx.team.id, orderId])));
  return loadOrder(ctx, orderId);
}

/**
 * Like `lockOrder`, for background work. Returns null if the order does not exist or if its user is scheduled for
 * deletion. In both cases the caller must change nothing.
 */
export async function lockOrderIfPresent(ctx: TxCtx<TeamCtx>, orderId: string): Promise<LoadedOrder | null> {
  try {
    return await lockOrder(ctx, orderId);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/**
 * Changes a time that PostgreSQL wrote into JSON, such as `2026-01-02T03:04:05.6+00:00`, to the form that the API uses.
 */
const iso = (time: string): string => {
  if (time[23] === '+') return `${time.slice(0, 23)}Z`;
  const fraction = time[19] === '.' ? time.slice(20, time.indexOf('+', 20)) : '';
  return `${time.slice(0, 19)}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
};

/** Decrypts the sealed values of rows and adds the lab tests. */
export async function toOrders(ctx: TeamCtx, rows: WholeOrder[]): Promise<LoadedOrder[]> {
  const orders = (await toListedOrders(ctx, rows)) as (ListedOrder & { row: WholeOrder & OrderRow })[];
  return orders.map((order) => {
    const { user_id, client_user_id, lab } = order.row;
    return { ...order, user: { id: user_id, client_user_id }, lab };
  });
}

/** Like `toOrders`, but only for the data that a list shows. */
export async function toListedOrders(ctx: TeamCtx, rows: StoredListedOrder[]): Promise<ListedOrder[]> {
  const labTests = await getCachedLabTests(
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
