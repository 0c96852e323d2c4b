import { CompiledQuery } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { preparedStatement } from '../../db/session/prepared.ts';
import { AppError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { findUser } from '../../users/find.ts';
import { findLabTest } from '../catalogue/find.ts';
import { keptLabTest } from '../catalogue/keep.ts';
import { LAB_TEST_REVISION } from '../catalogue/lab-test-json.ts';
import type { LoadedOrder } from './load.ts';
import { sealOrder, type OrderRow } from './sealed.ts';
import { nameWords } from './name-words.ts';
import { publishOrderEvents } from './status/append-events.ts';
import { fullStatus, type CollectionMethod, type LowLevelStatus } from './status/table.ts';

type NewOrder = {
  user_id: string;
  lab_test_id: string;
  method: CollectionMethod;
  shipping_details: OrderRow['shipping_details'];
  passthrough?: string | null | undefined;
  /** Its first statuses, oldest first. */
  statuses: LowLevelStatus[];
};

// User and lab test are checked by the statement that uses them; why nothing was written is asked only then.
const INSERT = `
  with moment as (select date_trunc('milliseconds', clock_timestamp()) as at),
  person as (select id, client_user_id from users where id = $1 and team_id = $2 and deleted_at is null),
  test as (
    select lab_tests.id, ${LAB_TEST_REVISION} as revision from lab_tests join labs on labs.id = lab_tests.lab_id
     where lab_tests.id = $3 and lab_tests.team_id = $2 and lab_tests.method = $4 and lab_tests.status = 'active'
  ), begun as (
    insert into order_transactions (user_id, id, team_id, created_at)
    select person.id, $5::uuid, $2, moment.at from person, test, moment returning user_id, id
  ), made as (
    insert into orders (user_id, id, team_id, order_transaction_id, origin, lab_test_id, details_id, method,
      shipping_details, passthrough, last_event_id, last_status, last_low_level_status, last_event_at,
      created_at, updated_at)
    select begun.user_id, $6::uuid, $2, begun.id, 'initial', $3, $7::uuid, $4, $8, $9,
           cardinality($11::text[]), ($11::text[])[cardinality($11::text[])], $12, last.at, moment.at, last.at
      from begun, moment, lateral (select moment.at + (cardinality($11::text[]) - 1) * interval '1 millisecond' as at) as last
    returning user_id, id, team_id, created_at
  ), told as (
    insert into order_events (user_id, order_id, team_id, id, status, created_at)
    select made.user_id, made.id, made.team_id, position, status, made.created_at + (position - 1) * interval '1 millisecond'
      from made, unnest($11::text[]) with ordinality as e (status, position) order by position
    returning id, created_at
  ), found_by as (
    insert into order_name_words (user_id, order_id, team_id, kind, word_hash)
    select made.user_id, made.id, made.team_id, kind, word_hash
      from made, unnest($10::text[], $13::bytea[]) as w (kind, word_hash)
  )
  select person.client_user_id, test.revision, told.created_at from told, person, test order by told.id`;

/** A new order in a transaction of its own, with its first events, told to the team's endpoints. */
export async function insertOrder(ctx: TxCtx<TeamCtx>, order: NewOrder): Promise<LoadedOrder> {
  if (ctx.config.environment !== 'sandbox') return refuse(ctx, order);
  const { user_id, lab_test_id, method, shipping_details, passthrough = null } = order;
  const row = { team_id: ctx.team.id, id: newId() };
  const [transactionId, detailsId] = [newId(), newId()];
  const statuses = order.statuses.map((status) => fullStatus(method, status));
  const last = order.statuses.at(-1) as LowLevelStatus;
  const words = nameWords(ctx, { patient_details: null, shipping_details });
  const sealed = sealOrder(ctx, row, { shipping_details, passthrough });
  const { rows } = await ctx.db.executeQuery<{ client_user_id: string; revision: string; created_at: string }>(
    preparedStatement(
      'insert order',
      CompiledQuery.raw(INSERT, [
        user_id,
        ctx.team.id,
        lab_test_id,
        method,
        transactionId,
        row.id,
        detailsId,
        sealed.shipping_details,
        sealed.passthrough,
        words.kinds,
        statuses,
        last,
        words.hashes,
      ]),
    ),
  );
  const [first] = rows;
  if (!first) return refuse(ctx, order);
  const updated_at = rows.at(-1)?.created_at as string;
  const times = { last_event_at: updated_at, created_at: first.created_at, updated_at };
  const loaded: LoadedOrder = {
    row: {
      ...row,
      ...times,
      user_id: user_id.toLowerCase(),
      order_transaction_id: transactionId,
      origin: 'initial',
      lab_test_id: lab_test_id.toLowerCase(),
      details_id: detailsId,
      method,
      sample_id: null,
      patient_details: null,
      patient_address: null,
      shipping_details,
      physician: null,
      consents: null,
      health_insurance_id: null,
      billing_type: 'client_bill',
      icd_codes: null,
      notes: null,
      clinical_notes: null,
      passthrough,
      priority: false,
      activate_by: null,
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
    transaction: [{ id: row.id, origin: 'initial', last_low_level_status: last, ...times }],
    labTest: await keptLabTest(ctx, { id: lab_test_id.toLowerCase(), revision: first.revision }),
  };
  await publishOrderEvents(ctx, loaded, 0);
  return loaded;
}

/** Says why an order cannot be made. Simulated laboratories serve sandboxes only, and no other is connected yet. */
async function refuse(ctx: TxCtx<TeamCtx>, order: NewOrder): Promise<never> {
  await findUser(ctx, order.user_id);
  const labTest = await findLabTest(ctx, order.lab_test_id);
  if (labTest.method !== order.method || labTest.status !== 'active') {
    throw new AppError(
      'lab_test_not_orderable',
      'This lab test is not an active test kit. GET /v3/lab_test?collection_method=testkit&status=active lists those that are.',
    );
  }
  throw new AppError(
    'laboratory_not_connected',
    'The laboratory of this lab test is not connected to this deployment.',
  );
}
