import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError } from '../../../errors.ts';
import { findDefaultKit } from '../../catalogue/find.ts';
import { findUser } from '../../../users/find.ts';
import { appendOrderEvents, type NewEvent } from '../status/append-events.ts';
import { startAutopilot } from '../autopilot.ts';
import { insertOrder } from '../insert-order.ts';
import { findOrderRow, loadOrder, type LoadedOrder, type OrderRow } from '../load.ts';
import { storeNameWords } from '../name-words.ts';
import { refuseMinorWithoutSetting } from '../patient.ts';
import type { RegisterTestkitInput } from '../schemas.ts';
import { isOpen } from '../status/table.ts';

type Input = Static<typeof RegisterTestkitInput>;
type Target = { id: string; user_id: string; method: 'testkit'; events: NewEvent[] };

const REGISTRATION: NewEvent[] = [{ status: 'requisition_created' }, { status: 'testkit_registered' }];

/** Binds a kit to its patient: the order the sample id belongs to, else one that waits for it, else a new one. */
export function registerTestkit(ctx: TeamCtx, input: Input): Promise<LoadedOrder> {
  return inTransaction(ctx, async (ctx) => {
    const sampleId = input.sample_id.toUpperCase();
    const userId = input.user_id ? (await findUser(ctx, input.user_id)).id : null;
    // Of two registrations of one sample the second waits here, and finds what the first has made of it.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`sample ${sampleId}`}, 0))`.execute(ctx.db);
    const known = await ctx.db
      .selectFrom('sample_ids')
      .selectAll()
      .where('sample_id', '=', sampleId)
      .executeTakeFirst();
    const order = known ? await orderOfSample(ctx, known, userId) : await orderForNewSample(ctx, sampleId, userId);
    refuseMinorWithoutSetting(ctx, input.patient_details.dob);
    await storeRegistration(ctx, order, input);
    // The same registration again changes the order's details, but it is no news.
    if (order.events.length === 0) return loadOrder(ctx, order.id);
    const loaded = await appendOrderEvents(ctx, order, order.events);
    await startAutopilot(ctx, order.id);
    return loaded;
  });
}

async function orderOfSample(
  ctx: TxCtx<TeamCtx>,
  sample: { team_id: string; order_id: string },
  userId: string | null,
): Promise<Target> {
  if (sample.team_id !== ctx.team.id) throw alreadyRegistered();
  const order = await findOrderRow(ctx, sample.order_id, 'for update');
  const registered = order.patient_details !== null;
  if (registered && userId !== null && userId !== order.user_id) throw alreadyRegistered();
  if (!isOpen(order.last_low_level_status)) {
    throw new AppError(
      'order_not_changeable',
      `The order of this kit has ended (${order.last_low_level_status}) and cannot be registered any more.`,
    );
  }
  const user_id = userId === null || userId === order.user_id ? order.user_id : await moveToUser(ctx, order, userId);
  return { id: order.id, user_id, method: 'testkit', events: registered ? [] : REGISTRATION };
}

/** The kit was handed on within the team: everything of the order goes to its new user by the foreign keys. */
async function moveToUser(ctx: TxCtx<TeamCtx>, order: OrderRow, userId: string): Promise<string> {
  await ctx.db
    .updateTable('order_transactions')
    .set({ user_id: userId })
    .where('user_id', '=', order.user_id)
    .where('id', '=', order.order_transaction_id)
    .execute();
  return userId;
}

async function orderForNewSample(ctx: TxCtx<TeamCtx>, sampleId: string, userId: string | null): Promise<Target> {
  if (userId === null) {
    throw new AppError(
      'sample_not_found',
      'No kit with this sample_id is known. Check the id, or name the user whose kit it is in user_id.',
    );
  }
  // Whoever finds the row locked waits, and goes on to the next one if this one was taken meanwhile.
  const {
    rows: [waiting],
  } = await sql<{ id: string }>`
    select id from orders
     where user_id = ${userId} and team_id = ${ctx.team.id} and method = 'testkit' and sample_id is null
       and patient_details is null and split_part(last_status, '.', 1) in ('received', 'collecting_sample')
     order by id limit 1 for update`.execute(ctx.db);
  const order = waiting
    ? { id: waiting.id, user_id: userId, method: 'testkit' as const, events: REGISTRATION }
    : await newOrder(ctx, userId);
  const bound = await ctx.db
    .insertInto('sample_ids')
    .values({ sample_id: sampleId, team_id: ctx.team.id, order_id: order.id })
    .onConflict((oc) => oc.doNothing())
    .returning('sample_id')
    .executeTakeFirst();
  if (!bound) throw alreadyRegistered();
  await ctx.db
    .updateTable('orders')
    .set({ sample_id: sampleId })
    .where('user_id', '=', userId)
    .where('id', '=', order.id)
    .execute();
  return order;
}

/** A kit that nobody ordered here, bought in a shop say: the team's default kit test stands in for the order. */
async function newOrder(ctx: TxCtx<TeamCtx>, userId: string): Promise<Target> {
  const labTest = await findDefaultKit(ctx);
  const order = await insertOrder(ctx, {
    user_id: userId,
    lab_test_id: labTest.id,
    method: 'testkit',
    shipping_details: null,
  });
  return {
    ...order,
    method: 'testkit',
    events: [{ status: 'ordered' }, { status: 'awaiting_registration' }, ...REGISTRATION],
  };
}

async function storeRegistration(ctx: TxCtx<TeamCtx>, order: Target, input: Input): Promise<void> {
  const { patient_details: patient, patient_address: address, physician } = input;
  const consents = (input.consents ?? []).map((consent) => ({
    ...consent,
    timeOfConsent: consent.timeOfConsent ?? new Date().toISOString(),
  }));
  await ctx.db
    .updateTable('orders')
    .set({
      patient_details: JSON.stringify(patient),
      patient_address: JSON.stringify({
        ...address,
        receiver_name: address.receiver_name ?? '',
        second_line: address.second_line ?? '',
      }),
      physician: physician ? JSON.stringify(physician) : null,
      consents: JSON.stringify(consents),
      updated_at: sql<string>`greatest(date_trunc('milliseconds', clock_timestamp()), updated_at + interval '1 millisecond')`,
    })
    .where('user_id', '=', order.user_id)
    .where('id', '=', order.id)
    .execute();
  await storeNameWords(ctx, order, 'patient', `${patient.first_name} ${patient.last_name}`);
}

const alreadyRegistered = (): AppError =>
  new AppError(
    'sample_already_registered',
    'This sample_id is registered to another order. Each kit can be registered once.',
  );
