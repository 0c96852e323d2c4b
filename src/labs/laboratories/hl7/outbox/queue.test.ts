// Which orders are sent to a laboratory, in which sequence, and the actions of the operator.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../../test/test-app.ts';
import { type OrderBody } from '../../../../../test/factories.ts';
import { addLabTest, byMllp, connectTestLaboratory, kitAtLaboratory } from '../../../../../test/hl7-deployment.ts';
import {
  orderReply,
  resultMessage,
  sendFrame,
  startHl7Laboratory,
  text_,
  type Hl7Laboratory,
} from '../../../../../test/hl7-laboratory.ts';
import { startHl7, type Hl7 } from '../start-hl7.ts';
import { listOutgoing } from './list-outgoing.ts';
import { holdLaboratory, holdOrder, releaseLaboratory, releaseOrder, resendOrder } from './outbox-actions.ts';
import { ordersOutResumption } from './send-orders.ts';

type SentOrder = (typeof laboratory.orders)[number];

let laboratory: Hl7Laboratory;
let app: TestApp;
let hl7: Hl7;
let kit: string;
beforeAll(async () => {
  laboratory = await startHl7Laboratory();
  app = await startTestApp({ PHIAL_HL7_PORT: '0' });
  await connectTestLaboratory(app.databaseUrl, { orders: byMllp(laboratory.port) });
  kit = await addLabTest(app, app.team);
  hl7 = await startHl7(app.ctx);
});
afterAll(async () => {
  await hl7.stop();
  await app.close();
  await laboratory.close();
});
beforeEach(async () => {
  await sql`delete from laboratory_outbox`.execute(app.db);
  await sql`update laboratory_senders set silent_tries = 0, answered_at = null, held_at = null`.execute(app.db);
  laboratory.behave(null);
  laboratory.respondBy(null);
  laboratory.orders.length = 0;
});

const order = (): Promise<OrderBody> => kitAtLaboratory(app, app.team, kit);
const rowsOf = (orderId: string) =>
  app.db.selectFrom('laboratory_outbox').selectAll().where('order_id', '=', orderId).orderBy('id').execute();
const rowOf = async (orderId: string) => (await rowsOf(orderId))[0] as Awaited<ReturnType<typeof rowsOf>>[number];
const cancel = async ({ id }: { id: string }): Promise<void> => {
  expect((await app.team.api('POST', `/v3/order/${id}/cancel`)).status).toBe(200);
};
const sampleOf = (sent: SentOrder | undefined): string => text_(sent as SentOrder, 'SPM.2').split('^')[0] as string;
const sentSamples = (): string[] => laboratory.orders.map(sampleOf);
const taken = (sent: SentOrder): string => orderReply({ type: 'ACK^O21' }, [`MSA|AA|${text_(sent, 'MSH.10')}`]);
const silentAbout =
  ({ sample_id }: OrderBody) =>
  (sent: SentOrder): string | null =>
    sampleOf(sent) === sample_id ? null : taken(sent);
/** Makes the next tries due now, and runs them. */
async function dueNow(): Promise<void> {
  await sql`update laboratory_outbox set due_at = now() where state = 'waiting'`.execute(app.db);
  await ordersOutResumption.run(app.ctx, {});
  await app.runJobs();
}

describe('a cancelled order', () => {
  test('that was not sent yet is never sent', async () => {
    await laboratory.down(true);
    const unwanted = await order();
    await app.runJobs();
    await cancel(unwanted);
    const wanted = await order();
    await laboratory.down(false);
    await dueNow();
    expect(sentSamples()).toEqual([wanted.sample_id]);
    expect(await rowsOf(unwanted.id)).toMatchObject([
      { action: 'new', state: 'withdrawn', last_error: 'order_cancelled', sent_at: null },
    ]);
  });

  test('that was sent and not answered is cancelled at once, and not sent again', async () => {
    const unwanted = await order();
    laboratory.behave('never_answers');
    await app.runJobs();
    laboratory.behave(null);
    await cancel(unwanted);
    await dueNow();
    expect(laboratory.orders.map((sent) => text_(sent, 'ORC.1'))).toEqual(['NW', 'CA']);
    expect(await rowsOf(unwanted.id)).toMatchObject([
      { action: 'new', state: 'withdrawn' },
      { action: 'cancel', state: 'accepted' },
    ]);
  });

  test('that the laboratory refused is not cancelled there', async () => {
    const unwanted = await order();
    laboratory.behave('refuses');
    await app.runJobs();
    await cancel(unwanted);
    await app.runJobs();
    expect(laboratory.orders.length).toBe(1);
  });
});

describe('a stored message', () => {
  const unanswered = async (): Promise<OrderBody> => {
    const made = await order();
    laboratory.behave('never_answers');
    await app.runJobs();
    laboratory.behave(null);
    laboratory.orders.length = 0;
    expect(await rowOf(made.id)).toMatchObject({ state: 'waiting', unanswered: 1 });
    return made;
  };

  test('is sent only after the undo if its user is scheduled for deletion', async () => {
    const { id, user_id, sample_id } = await unanswered();
    expect((await app.team.api('DELETE', `/v2/user/${user_id}`)).status).toBe(200);
    const next = await order();
    await dueNow();
    expect(sentSamples()).toEqual([next.sample_id]);
    expect(await rowOf(id)).toMatchObject({ state: 'waiting', last_error: 'user_scheduled_for_deletion' });
    await app.team.api('POST', `/v2/user/undo_delete?user_id=${user_id}`);
    await dueNow();
    expect(sentSamples()).toEqual([next.sample_id, sample_id]);
    expect(await rowOf(id)).toMatchObject({ state: 'accepted' });
  });

  test('is not sent once its order has results', async () => {
    const made = await order();
    laboratory.behave('never_answers');
    await app.runJobs();
    laboratory.behave(null);
    const placer = text_(laboratory.orders.at(-1) as SentOrder, 'ORC.2');
    laboratory.orders.length = 0;
    const values = ['GLU', 'A1C'].map((code) => ({ code, value: '5' }));
    await sendFrame(hl7.port as number, resultMessage({ controlId: `R${placer}`, placer, values }));
    await dueNow();
    expect(laboratory.orders).toEqual([]);
    expect(await rowOf(made.id)).toMatchObject({ state: 'withdrawn', last_error: 'order_ended' });
  });
});

describe('an order that the laboratory never answers', () => {
  test('is deferred after three tries, tried after those that waited, and finally given up', async () => {
    const ignored = await order();
    const others = [await order(), await order()];
    laboratory.respondBy(silentAbout(ignored));
    await app.runJobs();
    await dueNow();
    expect(await rowOf(others[0]?.id as string)).toMatchObject({ state: 'waiting', attempts: 0 });
    await dueNow();
    expect(sentSamples()).toEqual([
      ...Array.from({ length: 3 }, () => ignored.sample_id),
      ...others.map(({ sample_id }) => sample_id),
    ]);
    expect(await rowOf(ignored.id)).toMatchObject({ state: 'waiting', set_aside: true, unanswered: 3 });
    laboratory.orders.length = 0;
    await dueNow();
    expect(sentSamples()).toEqual([ignored.sample_id]);
    await sql`update laboratory_outbox set unanswered = 19 where order_id = ${ignored.id}`.execute(app.db);
    await dueNow();
    expect(await rowOf(ignored.id)).toMatchObject({ state: 'refused', last_error: 'no_answer', answered_at: null });
  });

  test('is not given up while the laboratory answers no order', async () => {
    const first = await order();
    laboratory.behave('never_answers');
    await app.runJobs();
    await sql`update laboratory_outbox set unanswered = 30 where order_id = ${first.id}`.execute(app.db);
    await dueNow();
    expect(await rowOf(first.id)).toMatchObject({ state: 'waiting', unanswered: 31 });
    laboratory.behave(null);
    await dueNow();
    expect(await rowOf(first.id)).toMatchObject({ state: 'accepted', unanswered: 0 });
  });
});

describe('the operator', () => {
  const listed = async (state: string) => listOutgoing(app.ctx, { state, lab: 'saguaro-lab' });

  test('sends a refused order again with a new control id, and sees its status', async () => {
    const refused = await order();
    laboratory.behave('refuses');
    await app.runJobs();
    laboratory.behave(null);
    const [row] = await listed('refused');
    expect(row).toMatchObject({ order_id: refused.id, order_status: 'received.testkit.testkit_registered' });
    await resendOrder(app.ctx, row?.outbox_id as string);
    await app.runJobs();
    const [once, again] = laboratory.controlIds();
    expect(again).toMatch(new RegExp(`^${once}\\d+$`));
    expect(await rowOf(refused.id)).toMatchObject({ state: 'accepted' });
  });

  test('cannot resend a cancelled order, or one of a user scheduled for deletion', async () => {
    laboratory.behave('refuses');
    const [cancelled, leaving] = [await order(), await order()];
    await app.runJobs();
    await cancel(cancelled);
    await app.team.api('DELETE', `/v2/user/${leaving.user_id}`);
    const idOf = async (id: string): Promise<string> => (await rowOf(id)).id;
    await expect(resendOrder(app.ctx, await idOf(cancelled.id))).rejects.toThrow('This order has ended');
    await expect(resendOrder(app.ctx, await idOf(leaving.id))).rejects.toThrow('scheduled for deletion');
    const rows = await listed('refused');
    expect(rows.map(({ order_status }) => order_status)).toEqual(['cancelled.testkit.cancelled', null]);
  });

  test('holds one order while others are sent, and releases it', async () => {
    const [deferred, other] = [await order(), await order()];
    await holdOrder(app.ctx, (await rowOf(deferred.id)).id, 'operator');
    await app.runJobs();
    expect(sentSamples()).toEqual([other.sample_id]);
    expect(await listed('held')).toMatchObject([{ order_id: deferred.id }]);
    await releaseOrder(app.ctx, (await rowOf(deferred.id)).id, 'operator');
    await app.runJobs();
    expect(sentSamples()).toEqual([other.sample_id, deferred.sample_id]);
  });

  test('holds all messages to a laboratory, and releases them in sequence', async () => {
    await holdLaboratory(app.ctx, 'saguaro-lab');
    const orders = [await order(), await order()];
    await app.runJobs();
    expect(laboratory.orders).toEqual([]);
    expect(await listed('waiting')).toMatchObject([{ is_lab_held: true }, { is_lab_held: true }]);
    await releaseLaboratory(app.ctx, 'saguaro-lab');
    await app.runJobs();
    expect(sentSamples()).toEqual(orders.map(({ sample_id }) => sample_id));
    await expect(holdLaboratory(app.ctx, 'nobody')).rejects.toThrow('No laboratory nobody is connected.');
  });
});
