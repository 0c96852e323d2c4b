import { CompiledQuery } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { preparedStatement } from '../../../db/session/prepared.ts';
import { AppError } from '../../../errors.ts';
import { newId, newIdOf } from '../../../ids.ts';
import { findUser } from '../../../users/find.ts';
import { findLabTest } from '../../catalogue/find.ts';
import { getCachedLabTest } from '../../catalogue/lab-test-cache.ts';
import { LAB_TEST_REVISION } from '../../catalogue/lab-test-json.ts';
import { requisitionUrlOf, ORDER_LAB, type LoadedOrder } from '../load-order.ts';
import { accountProblems, refuseUnlessAccepted } from '../pre-flight.ts';
import { NOTHING_PERSONAL, SEALED_OF_ORDER, sealOrder, type OrderRow, type PersonalField } from '../sealed.ts';
import { nameWords } from '../name-words.ts';
import { sendOut } from '../send-out.ts';
import { publishOrderEvents } from '../status/append-events.ts';
import { findOrderLab, refuseUnlessConnected, refuseUnlessServed } from './find-order-lab.ts';
import { fullStatus, type CollectionMethod, type LowLevelStatus } from '../status/statuses.ts';

const NOTHING = {
  sample_id: null,
  health_insurance_id: null,
  lab_account_id: null,
  billing_type: 'client_bill',
  priority: false,
  activate_by: null,
} satisfies Partial<OrderRow>;

type OrderContent = Pick<OrderRow, PersonalField | keyof typeof NOTHING>;

/** redraw: the sample was of no use. recreation: the kit was lost or damaged. */
export type RepeatedOrigin = 'redraw' | 'recreation';

export type NewOrder = Partial<OrderContent> & {
  /**
   * The id of the new order, if another row already refers to it, such as the sample of an imported order. Default: a
   * new id.
   */
  id?: string;
  user_id: string;
  lab_test_id: string;
  method: CollectionMethod;
  /** The first statuses of the order, oldest first. */
  statuses: LowLevelStatus[];
  /** The order that this order repeats with a new sample. Both belong to one order transaction. */
  repeated?: { order: LoadedOrder; origin: RepeatedOrigin };
  /** True if the laboratory already has the order, so that we do not send it. */
  isAtLaboratory?: boolean;
  /**
   * The state to which we send a kit whose patient we do not know yet. The insert then checks that the laboratory
   * serves this state. If the patient is known, the caller has checked the patient's state.
   */
  sentTo?: string;
};

const FIRST_SEALED = 23;
const SEALED_PLACEHOLDERS = SEALED_OF_ORDER.map((_, n) => `$${FIRST_SEALED + n}::bytea`).join(', ');

// The statement itself checks the user and the lab test. If it inserts nothing, a second query finds out why.
const INSERT = `
  with moment as (select date_trunc('milliseconds', coalesce($22::timestamptz, clock_timestamp())) as at),
  person as (select id, client_user_id from users where id = $1 and team_id = $2 and deleted_at is null),
  test as (
    select lab_tests.id, ${LAB_TEST_REVISION} as revision, ${ORDER_LAB} as lab
      from lab_tests join labs on labs.id = lab_tests.lab_id
     where lab_tests.id = $3 and lab_tests.team_id = $2 and lab_tests.method = $4
       and (lab_tests.status = 'active' or $14::uuid is not null) and (labs.connection <> 'simulated' or $15::boolean)
       and ($20::text is null or ((labs.states is null or $20 = any (labs.states))
         and ($16::uuid is not null or not coalesce((labs.order_rules ->> 'account_required')::boolean, false))))
  ), begun as (
    insert into order_transactions (user_id, id, team_id, created_at)
    select person.id, $5::uuid, $2, moment.at from person, test, moment where $14::uuid is null returning user_id, id
  ), within as (
    select user_id, id from begun
    union all select person.id, $5::uuid from person, test where $14::uuid is not null
  ), made as (
    insert into orders (user_id, id, team_id, order_transaction_id, origin, parent_id, lab_test_id, details_id, method,
      ${SEALED_OF_ORDER.join(', ')}, sample_id, health_insurance_id, lab_account_id, billing_type, priority,
      activate_by,
      last_event_id, last_status, last_low_level_status, last_event_at, created_at, updated_at)
    select within.user_id, $6::uuid, $2, within.id, $21::text, $14::uuid, $3, $7::uuid, $4, ${SEALED_PLACEHOLDERS},
           $8::text, $9::uuid, $16::uuid, $17::text, $18::boolean,
           $19::date,
           cardinality($11::text[]), ($11::text[])[cardinality($11::text[])], $12, last.at, moment.at, last.at
      from within, moment,
           lateral (select moment.at + (cardinality($11::text[]) - 1) * interval '1 millisecond' as at) as last
    returning user_id, id, team_id, created_at
  ), recorded as (
    insert into order_events (user_id, order_id, team_id, id, status, created_at)
    select made.user_id, made.id, made.team_id, position, status,
           made.created_at + (position - 1) * interval '1 millisecond'
      from made, unnest($11::text[]) with ordinality as e (status, position) order by position
    returning id, created_at
  ), found_by as (
    insert into order_name_words (user_id, order_id, team_id, kind, word_hash)
    select made.user_id, made.id, made.team_id, kind, word_hash
      from made, unnest($10::text[], $13::bytea[]) as w (kind, word_hash)
  )
  select person.client_user_id, test.revision, test.lab, recorded.created_at
    from recorded, person, test order by recorded.id`;

type Inserted = { client_user_id: string; revision: string; lab: LoadedOrder['lab']; created_at: string };

/**
 * Inserts a new order with its first events and publishes them. An order that repeats another one joins its order
 * transaction. Every other order gets a new order transaction. If the order is ready, the function also sends it to the
 * laboratory.
 */
export async function insertOrder(ctx: TxCtx<TeamCtx>, order: NewOrder): Promise<LoadedOrder> {
  const {
    id = newIdOf(ctx),
    user_id,
    lab_test_id,
    method,
    statuses: low,
    repeated,
    isAtLaboratory,
    sentTo: _,
    ...given
  } = order;
  const content = { ...NOTHING_PERSONAL, ...NOTHING, ...given };
  const row = { team_id: ctx.team.id, id };
  const ids = { transaction: repeated?.order.row.order_transaction_id ?? newIdOf(ctx), details: newId() };
  const statuses = low.map((status) => fullStatus(method, status));
  const last = low.at(-1) as LowLevelStatus;
  const rows = await insertOrRefuse(ctx, order, { row, ids, statuses, content });
  const [first] = rows as [Inserted];
  const updated_at = rows.at(-1)?.created_at as string;
  const times = { last_event_at: updated_at, created_at: first.created_at, updated_at };
  const origin = repeated?.origin ?? 'initial';
  const parent_id = repeated?.order.row.id ?? null;
  const loaded: LoadedOrder = {
    row: {
      ...content,
      ...row,
      ...times,
      user_id: user_id.toLowerCase(),
      order_transaction_id: ids.transaction,
      origin,
      parent_id,
      lab_test_id: lab_test_id.toLowerCase(),
      details_id: ids.details,
      method,
      has_abn: false,
      interpretation: null,
      has_missing_results: null,
      last_event_id: rows.length,
      last_status: statuses.at(-1) as string,
      last_low_level_status: last,
    },
    user: { id: user_id.toLowerCase(), client_user_id: first.client_user_id },
    events: rows.map(({ created_at }, index) => ({
      id: index + 1,
      created_at,
      status: statuses[index] as string,
      status_detail: null,
    })),
    shipment: null,
    appointment_id: null,
    inReview: false,
    transaction: [
      ...(repeated?.order.transaction ?? []),
      { id, origin, parent_id, last_low_level_status: last, ...times },
    ],
    labTest: await getCachedLabTest(ctx, { id: lab_test_id.toLowerCase(), revision: first.revision }),
    requisitionUrl: requisitionUrlOf(ctx, row),
    lab: first.lab,
  };
  await publishOrderEvents(ctx, loaded, loaded.events);
  if (!isAtLaboratory) await sendOut(ctx, loaded, low);
  return loaded;
}

type Prepared = {
  row: { team_id: string; id: string };
  ids: { transaction: string; details: string };
  statuses: string[];
  content: OrderContent;
};

/**
 * How many times we try the insert. If it inserts nothing, and the query for the reason finds none, another transaction
 * changed a row between the two statements. Then we try again.
 */
const MAX_TRIES = 3;

/**
 * Inserts the order, or throws the reason why it cannot be created. The reason may be gone when we look for it, for
 * example because somebody has approved the lab test meanwhile. Then the function tries the insert again.
 */
async function insertOrRefuse(ctx: TxCtx<TeamCtx>, order: NewOrder, prepared: Prepared): Promise<Inserted[]> {
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const rows = await insert(ctx, order, prepared);
    if (rows.length > 0) return rows;
    await refuse(ctx, order);
  }
  throw new Error('An order was not created, and there is no reason for it.');
}

async function insert(
  ctx: TxCtx<TeamCtx>,
  { user_id, lab_test_id, method, statuses: low, repeated, sentTo }: NewOrder,
  { row, ids, statuses, content }: Prepared,
): Promise<Inserted[]> {
  const words = nameWords(ctx, content);
  const sealed = sealOrder(ctx, { ...content, ...row });
  const values = [
    user_id,
    ctx.team.id,
    lab_test_id,
    method,
    ids.transaction,
    row.id,
    ids.details,
    content.sample_id,
    content.health_insurance_id,
    words.kinds,
    statuses,
    low.at(-1),
    words.hashes,
    repeated?.order.row.id ?? null,
    ctx.config.environment === 'sandbox',
    content.lab_account_id,
    content.billing_type,
    content.priority,
    content.activate_by,
    sentTo ?? null,
    repeated?.origin ?? 'initial',
    ctx.happenedAt ?? null,
    ...SEALED_OF_ORDER.map((column) => sealed[column]),
  ];
  const { rows } = await ctx.db.executeQuery<Inserted>(
    preparedStatement('insert order', CompiledQuery.raw(INSERT, values)),
  );
  return rows;
}

/** Throws the reason why an order cannot be created. Returns if there is no reason at this moment. */
async function refuse(ctx: TxCtx<TeamCtx>, order: NewOrder): Promise<void> {
  await findUser(ctx, order.user_id);
  const labTest = await findLabTest(ctx, order.lab_test_id);
  if (labTest.method !== order.method || labTest.status !== 'active') {
    throw new AppError(
      'lab_test_not_orderable',
      `This is not an active lab test collected by ${order.method}. ` +
        `GET /v3/lab_test?collection_method=${order.method}&status=active lists those that are.`,
    );
  }
  const lab = await findOrderLab(ctx, labTest.lab_id);
  refuseUnlessConnected(ctx, lab);
  refuseUnlessServed(lab, order.sentTo as string);
  refuseUnlessAccepted(accountProblems(order.lab_account_id ?? null, lab.order_rules));
}
