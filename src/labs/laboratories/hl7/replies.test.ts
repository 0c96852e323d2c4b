// Answers of a laboratory to orders, on the connection and later on our port, and its own updates of orders.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { createOrder, lowStatuses, patientDetails, readOrder } from '../../../../test/factories.ts';
import {
  addLabTest,
  byMllp,
  connectTestLaboratory,
  kitAtLaboratory,
  thyroid,
} from '../../../../test/hl7-deployment.ts';
import {
  orderReply,
  resultMessage,
  sendFrame,
  startHl7Laboratory,
  text_,
  until,
  type Hl7Laboratory,
} from '../../../../test/hl7-laboratory.ts';
import { publishedTo } from '../../../../test/publish-event.ts';
import { giveUpOrder, resendOrder } from './outbox/outbox-actions.ts';
import { startHl7, type Hl7 } from './start-hl7.ts';

type SentOrder = (typeof laboratory.orders)[number];

let laboratory: Hl7Laboratory;
let app: TestApp;
let hl7: Hl7;
let kit: string;
let two: string;
const logged: string[] = [];
const connect = (orders: object = {}): Promise<void> =>
  connectTestLaboratory(app.databaseUrl, { orders: byMllp(laboratory.port, { ...orders }) }, {}, [thyroid]);
beforeAll(async () => {
  laboratory = await startHl7Laboratory();
  app = await startTestApp({ PHIAL_HL7_PORT: '0', PHIAL_LOG_LEVEL: 'warn' }, { logTo: (line) => logged.push(line) });
  await connect();
  kit = await addLabTest(app, app.team);
  two = await addLabTest(app, app.team, 'walk_in_test', ['MET', 'THY']);
  hl7 = await startHl7(app.ctx);
});
afterAll(async () => {
  await hl7.stop();
  await app.close();
  await laboratory.close();
});
beforeEach(async () => {
  laboratory.behave(null);
  laboratory.respondBy(null);
  laboratory.orders.length = 0;
  laboratory.answers.length = 0;
  await connect();
});

const outbox = (orderId: string) =>
  app.db.selectFrom('laboratory_outbox').selectAll().where('order_id', '=', orderId).orderBy('id').execute();
const last = (): SentOrder => laboratory.orders.at(-1) as SentOrder;
const numberOf = (sent: SentOrder): string => text_(sent, 'ORC.4') || text_(sent, 'ORC.2');
const idOf = (sent: SentOrder): string => text_(sent, 'MSH.10');
const say = (message: string): ReturnType<typeof sendFrame> => sendFrame(hl7.port as number, message);
type Answering = Parameters<Hl7Laboratory['respondBy']>[0];
const orderKit = async (respondBy: Answering = null): Promise<string> => {
  laboratory.respondBy(respondBy);
  const { id } = await kitAtLaboratory(app, app.team, kit);
  await app.runJobs();
  laboratory.respondBy(null);
  return id;
};
const orderTwoTests = async (respondBy: Answering = null): Promise<string> => {
  laboratory.respondBy(respondBy);
  const { body } = await createOrder(app.team, { lab_test_id: two });
  await app.runJobs();
  laboratory.respondBy(null);
  return body.order.id;
};
const statusOf = async (id: string): Promise<string | undefined> => lowStatuses(await readOrder(app.team, id)).at(-1);
const messages = (controlId: string) =>
  app.db
    .selectFrom('hl7_messages')
    .select(['state', 'reason', 'order_id'])
    .where('control_id', '=', controlId)
    .execute();

describe('an ORL on the connection', () => {
  test('that accepts the message but not the order is a refusal', async () => {
    const id = await orderKit((sent) => orderReply({}, [`MSA|AA|${idOf(sent)}`, `ORC|UA|${numberOf(sent)}`]));
    expect(await outbox(id)).toMatchObject([{ state: 'refused', last_error: 'ua' }]);
  });

  test('with an unknown order control code counts by MSA-1, and the log has no text of it', async () => {
    logged.length = 0;
    const answer = (code: string) => (sent: SentOrder) =>
      orderReply({}, [`MSA|${code}|${idOf(sent)}`, `ORC|GRACE|${numberOf(sent)}`]);
    const [taken, refused] = [await orderKit(answer('AA')), await orderKit(answer('AE'))];
    expect(await outbox(taken)).toMatchObject([{ state: 'accepted', last_error: null }]);
    expect(await outbox(refused)).toMatchObject([{ state: 'refused', last_error: 'ae' }]);
    const lines = logged.filter((line) => line.includes('unknown_order_control'));
    expect(lines.map((line) => (JSON.parse(line) as { order_id: string }).order_id)).toEqual([taken, refused]);
    expect(lines.join('')).not.toContain('GRACE');
  });

  test('contains the number of the laboratory, by which a result finds its order', async () => {
    const id = await orderKit((sent) =>
      orderReply({}, [`MSA|AA|${idOf(sent)}`, `ORC|OK|${numberOf(sent)}|FILL-7`, `OBR|1|${numberOf(sent)}|FILL-7`]),
    );
    expect(await outbox(id)).toMatchObject([{ state: 'accepted', last_error: null }]);
    const values = [{ code: 'GLU', value: '90' }];
    expect(await say(resultMessage({ controlId: 'F7', placer: '', filler: 'FILL-7', values }))).toMatchObject({
      code: 'AA',
    });
    expect(await messages('F7')).toMatchObject([{ state: 'applied', order_id: id }]);
  });

  test('that refuses one of two tests leaves the other, and a resend contains only the refused test', async () => {
    const id = await orderTwoTests((sent) => {
      const number = numberOf(sent);
      return orderReply({ type: 'ORL^O22^ORL_O22' }, [
        `MSA|AA|${idOf(sent)}`,
        `ORC|OK|${number}-1|F-1`,
        `OBR|1|${number}-1|F-1|MET`,
        `ORC|UA|${number}-2`,
        `OBR|2|${number}-2||THY`,
      ]);
    });
    const rows = await outbox(id);
    expect(rows).toMatchObject([
      { state: 'accepted', tests: [1] },
      { state: 'refused', tests: [2], last_error: 'ua' },
    ]);
    const before = last();
    await resendOrder(app.ctx, rows[1]?.id as string);
    await app.runJobs();
    expect(text_(last(), 'OBR.2')).toBe(`${numberOf(before)}-2`);
    expect(String(last()).match(/\rOBR/g)?.length).toBe(1);
    expect(idOf(last())).not.toBe(idOf(before));
    expect(await outbox(id)).toMatchObject([{ state: 'accepted' }, { state: 'accepted', tests: [2] }]);
  });

  describe('that refuses one of two tests', () => {
    const orderHalfRefused = async (): Promise<{ id: string; outboxId: string }> => {
      const id = await orderTwoTests((sent) => {
        const number = numberOf(sent);
        return orderReply({ type: 'ORL^O22^ORL_O22' }, [
          `MSA|AA|${idOf(sent)}`,
          `ORC|OK|${number}-1|F-1`,
          `OBR|1|${number}-1|F-1|MET`,
          `ORC|UA|${number}-2`,
          `OBR|2|${number}-2||THY`,
        ]);
      });
      return { id, outboxId: (await outbox(id))[1]?.id as string };
    };
    const inReview = async (id: string): Promise<unknown> =>
      ((await readOrder(app.team, id)) as { has_results_in_review?: boolean }).has_results_in_review;

    test('lets the order complete once that test is given up, and until then the order is in review', async () => {
      const { id, outboxId } = await orderHalfRefused();
      expect(await inReview(id)).toBe(true);
      const values = [
        { code: 'GLU', value: '90' },
        { code: 'A1C', value: '5.4' },
      ];
      await say(resultMessage({ controlId: 'HALF', placer: `${numberOf(last())}-1`, test: 'MET', values }));
      expect(await statusOf(id)).toBe('partial_results');
      await giveUpOrder(app.ctx, outboxId);
      expect(await statusOf(id)).toBe('completed');
      expect(await inReview(id)).toBe(false);
      expect(await outbox(id)).toMatchObject([{ state: 'accepted' }, { state: 'given_up', last_error: 'ua' }]);
      await expect(giveUpOrder(app.ctx, outboxId)).rejects.toThrow('it is given_up');
      await expect(resendOrder(app.ctx, outboxId)).rejects.toThrow('This order has ended');
    });

    test('leaves the status of the order if that test is given up before any result', async () => {
      const { id, outboxId } = await orderHalfRefused();
      await giveUpOrder(app.ctx, outboxId);
      expect(await statusOf(id)).toBe('requisition_bypassed');
      expect(await inReview(id)).toBe(false);
    });
  });

  test('that refuses an order ends it once it is given up', async () => {
    const id = await orderKit((sent) => orderReply({}, [`MSA|AA|${idOf(sent)}`, `ORC|UA|${numberOf(sent)}`]));
    const [row] = await outbox(id);
    await expect(resendOrder(app.ctx, randomUUID())).rejects.toThrow('No message to a laboratory');
    await giveUpOrder(app.ctx, row?.id as string);
    expect(await statusOf(id)).toBe('do_not_process');
    laboratory.orders.length = 0;
    await app.runJobs();
    expect(laboratory.orders).toEqual([]);
  });

  test('that accepts an order makes giving up and resending impossible', async () => {
    const id = await orderKit();
    const [row] = await outbox(id);
    await expect(giveUpOrder(app.ctx, row?.id as string)).rejects.toThrow('it is accepted');
    await expect(resendOrder(app.ctx, row?.id as string)).rejects.toThrow('it is accepted');
  });

  test('that the order cannot be cancelled any more is a refusal of the cancellation', async () => {
    const id = await orderKit();
    laboratory.respondBy((sent) => orderReply({}, [`MSA|AA|${idOf(sent)}`, `ORC|UC|${numberOf(sent)}`]));
    await app.team.api('POST', `/v3/order/${id}/cancel`);
    await app.runJobs();
    expect(await outbox(id)).toMatchObject([
      { action: 'new', state: 'accepted' },
      { action: 'cancel', state: 'refused', last_error: 'uc' },
    ]);
  });
});

describe('in enhanced mode', () => {
  beforeEach(() => {
    const { mllp } = byMllp(laboratory.port) as { mllp: object };
    return connect({ acknowledgments: 'enhanced', mllp: { ...mllp, answer_seconds: 3 } });
  });
  const commit = (code: string) => (sent: SentOrder) =>
    orderReply({ type: 'ACK^O21^ACK' }, [`MSA|${code}|${idOf(sent)}`]);

  /** Returns from the metrics for how many seconds the oldest stored order has waited for its outcome. */
  const oldestCommitted = async (): Promise<number> => {
    const text = await (await fetch(`${app.baseUrl}/metrics`)).text();
    return Number(/^phial_laboratory_oldest_committed_seconds\{lab="saguaro-lab"\} (\S+)$/m.exec(text)?.[1]);
  };

  test.each([
    ['OK', { state: 'accepted', last_error: null }],
    ['UA', { state: 'refused', last_error: 'ua' }],
  ])('a message is committed until an ORL on our port answers %s', async (control, then) => {
    const id = await orderKit(commit('CA'));
    expect(await outbox(id)).toMatchObject([{ state: 'committed', last_error: null }]);
    expect(await oldestCommitted()).toBeGreaterThan(0);
    const reply = orderReply({}, [`MSA|AA|${idOf(last())}`, `ORC|${control}|${numberOf(last())}`]);
    expect(await say(reply)).toMatchObject({ code: 'AA' });
    expect(await outbox(id)).toMatchObject([then]);
    expect(await oldestCommitted()).toBe(0);
  });

  test('an ACK on our port that names only the message counts for its order', async () => {
    const id = await orderKit(commit('CA'));
    const controlId = `K-${idOf(last())}`;
    const ack = orderReply({ type: 'ACK^O21', id: controlId }, [`MSA|AR|${idOf(last())}`, 'ERR|||204^^HL70357|E']);
    expect(await say(ack)).toMatchObject({ code: 'AA' });
    expect(await outbox(id)).toMatchObject([{ state: 'refused', last_error: 'ar_204' }]);
    expect(await messages(controlId)).toMatchObject([{ state: 'applied', order_id: id }]);
  });

  test.each([
    ['CE', 'ce'],
    ['CR', 'cr'],
  ])('%s refuses the message', async (code, reason) => {
    const id = await orderKit(commit(code));
    expect(await outbox(id)).toMatchObject([{ state: 'refused', last_error: reason }]);
  });

  describe('an ORL on the connection of the order', () => {
    const orl = (sent: SentOrder, control: string, id = `L-${idOf(sent)}`): string =>
      orderReply({ id }, [`MSA|AA|${idOf(sent)}`, `ORC|${control}|${numberOf(sent)}|F-${numberOf(sent)}`]);
    const answered = (): string[][] =>
      laboratory.answers.map((answer) => ['MSA.1', 'MSA.2'].map((path) => text_(answer, path)));

    test.each([
      ['OK', { state: 'accepted', last_error: null }],
      ['UA', { state: 'refused', last_error: 'ua' }],
    ])('with %s shortly after the CA is applied and acknowledged there', async (control, then) => {
      const id = await orderKit(commit('CA'));
      expect(await outbox(id)).toMatchObject([{ state: 'committed' }]);
      expect(laboratory.say(orl(last(), control))).toBe(1);
      await until(() => laboratory.answers.length > 0);
      expect(answered()).toEqual([['AA', `L-${idOf(last())}`]]);
      expect(await outbox(id)).toMatchObject([then]);
      expect(await messages(`L-${idOf(last())}`)).toMatchObject([{ state: 'applied', order_id: id }]);
    });

    test('in the same bytes as the CA is applied after it', async () => {
      const id = await orderKit((sent) => [commit('CA')(sent), orl(sent, 'UA')]);
      await until(() => laboratory.answers.length > 0);
      expect(await outbox(id)).toMatchObject([{ state: 'refused', last_error: 'ua' }]);
    });

    test('about the previous order that comes during the next one is applied, and neither is lost', async () => {
      const first = await orderKit(commit('CA'));
      const before = last();
      const second = await orderKit((sent) => [orl(before, 'UA'), commit('CA')(sent)]);
      await until(() => laboratory.answers.length > 0);
      expect(await outbox(first)).toMatchObject([{ state: 'refused' }]);
      expect(await outbox(second)).toMatchObject([{ state: 'committed' }]);
    });

    test('is received until the wait for it ends, and orders meanwhile use the same connection', async () => {
      await orderKit(commit('CA'));
      await orderKit(commit('CA'));
      expect(laboratory.say(orderReply({ type: 'ACK', id: 'ECHO' }, ['MSA|AA|NOBODY']))).toBe(1);
      await until(async () => (await messages('ECHO')).some(({ state }) => state === 'failed'));
      // We do not acknowledge acknowledgments.
      expect(laboratory.answers).toEqual([]);
      await until(() => laboratory.say(orl(last(), 'OK')) === 0);
    });
  });

  test('a CA that is read after the outcome does not overwrite it', async () => {
    const id = await orderKit(async (sent) => {
      await say(orderReply({}, [`MSA|AA|${idOf(sent)}`, `ORC|UA|${numberOf(sent)}`]));
      return commit('CA')(sent);
    });
    expect(await outbox(id)).toMatchObject([{ state: 'refused', last_error: 'ua' }]);
  });

  test('an ORL that asks only for a commit acknowledgement gets one', async () => {
    await orderKit(commit('CA'));
    const reply = orderReply({}, [`MSA|AA|${idOf(last())}`, `ORC|OK|${numberOf(last())}`]);
    expect(await say(reply.replace('|P|2.5.1', '|P|2.5.1|||AL|NE'))).toMatchObject({ code: 'CA' });
  });
});

test('in original mode a commit code is the final answer', async () => {
  const id = await orderKit((sent) => orderReply({ type: 'ACK' }, [`MSA|CA|${idOf(sent)}`]));
  expect(await outbox(id)).toMatchObject([{ state: 'accepted' }]);
});

test('a reply to a message that we never sent waits for the operator', async () => {
  const reply = orderReply({ id: 'NOBODY' }, ['MSA|AA|P0000000ZN', 'ORC|OK|P0000000Z']);
  expect(await say(reply)).toMatchObject({ code: 'AE', error: 'unknown_number' });
  expect(await messages('NOBODY')).toMatchObject([{ state: 'failed' }]);
});

describe('an order that the laboratory cancels by itself', () => {
  test.each([
    ['ORM^O01', 'ORC|OC|NUMBER|F-9'],
    ['ORM^O01', 'ORC|CA|NUMBER|F-9'],
    ['OSU^O51', 'ORC|SC|NUMBER|F-9||CA'],
  ])('by %s with %s ends, and no cancellation is sent to the laboratory', async (type, orc) => {
    const walkIn = await orderTwoTests();
    const message = orderReply({ type }, ['PID|1||X7', orc.replace('NUMBER', numberOf(last()))]);
    expect(await say(message)).toMatchObject({ code: 'AA' });
    expect(await statusOf(walkIn)).toBe('cancelled');
    const ofKit = await orderKit();
    await say(orderReply({ type }, [orc.replace('NUMBER', numberOf(last()))]));
    expect(await statusOf(ofKit)).toBe('do_not_process');
    laboratory.orders.length = 0;
    await app.runJobs();
    expect(laboratory.orders).toEqual([]);
    expect(await outbox(walkIn)).toMatchObject([{ action: 'new', state: 'given_up', last_error: 'oc' }]);
    // A second message changes nothing.
    expect(await say(message.replace(/\|P\|2\.5\.1/, 'X|P|2.5.1'))).toMatchObject({ code: 'AA' });
  });

  describe('in one of its tests', () => {
    const calledOff = (position: number, of = last()) =>
      say(orderReply({ type: 'ORM^O01' }, [`ORC|OC|${numberOf(of)}-${position}`]));
    const missing = async (id: string) =>
      (await app.team.api<{ missing_results: { slug: string; note: string }[] }>('GET', `/v3/order/${id}/result`)).body
        .missing_results;
    const missingFlagsOf = async (id: string): Promise<boolean[]> =>
      (await publishedTo(app, app.team))
        .map(({ body }) => (JSON.parse(body) as { data: { id: string; has_missing_results: boolean } }).data)
        .filter((data) => data.id === id)
        .map((data) => data.has_missing_results);

    test('fails that test with an event, and the order completes with the other one', async () => {
      const id = await orderTwoTests();
      const before = (await missingFlagsOf(id)).length;
      expect(await calledOff(2)).toMatchObject({ code: 'AA' });
      expect(await statusOf(id)).toBe('requisition_bypassed');
      expect((await missing(id)).map(({ slug, note }) => [slug, note])).toEqual([
        ['saguaro-tsh', 'The laboratory cancelled this test.'],
        ['saguaro-ft4', 'The laboratory cancelled this test.'],
      ]);
      expect((await missingFlagsOf(id)).slice(before)).toEqual([true]);
      const values = [
        { code: 'GLU', value: '90' },
        { code: 'A1C', value: '5.4' },
      ];
      const placer = `${numberOf(last())}-1`;
      expect(await say(resultMessage({ controlId: 'ONE', placer, test: 'MET', values }))).toMatchObject({ code: 'AA' });
      expect(await statusOf(id)).toBe('completed');
    });

    test('ends when the laboratory cancels the other one later', async () => {
      const id = await orderTwoTests();
      await calledOff(1);
      expect(await calledOff(2)).toMatchObject({ code: 'AA' });
      expect(await statusOf(id)).toBe('cancelled');
      expect(await outbox(id)).toMatchObject([{ action: 'new', state: 'given_up' }]);
    });

    test('makes the message wait if that test has its result', async () => {
      const id = await orderTwoTests();
      const values = [{ code: 'TSH', value: '2.1' }];
      await say(resultMessage({ controlId: 'TWO', placer: `${numberOf(last())}-2`, test: 'THY', values }));
      expect(await calledOff(2)).toMatchObject({ code: 'AE', error: 'test_has_result' });
      expect(await statusOf(id)).toBe('partial_results');
    });
  });

  test.each([
    ['another date of birth', { pid: 'PID|1||X7||Palmer^Grace||19700101' }, 'patient_mismatch'],
    ['another name and sex', { pid: 'PID|1||X7||Miller^John||19880412|M' }, 'patient_mismatch'],
    ['an id that we issued to nobody', { pid: `PID|1||${randomUUID()}^^^PHIAL` }, 'patient_mismatch'],
    ['another account', { account: 'ACC-2' }, 'other_account'],
    ['an unknown order control code', { control: 'ZZ' }, 'wrong_orc_1'],
  ])('with %s is not applied', async (_, { pid = 'PID|1', account = 'ACC-1', control = 'OC' }: Odd, error) => {
    const id = await orderKit();
    const message = orderReply({ type: 'ORM^O01', account }, [pid, `ORC|${control}|${numberOf(last())}`]);
    expect(await say(message)).toMatchObject({ code: 'AE', error });
    expect(await statusOf(id)).toBe('testkit_registered');
  });
});
type Odd = { pid?: string; account?: string; control?: string };

test('a kit that is in process has arrived, and a later SC without a status changes nothing', async () => {
  const id = await orderKit();
  const dob = patientDetails.dob.replaceAll('-', '');
  const status = (code: string): string =>
    orderReply({ type: 'OSU^O51' }, [`PID|1||X7||Palmer^Grace||${dob}`, `ORC|SC|${numberOf(last())}|F-3||${code}`]);
  expect(await say(status('IP'))).toMatchObject({ code: 'AA' });
  expect(await statusOf(id)).toBe('delivered_to_lab');
  await say(status('HD'));
  expect(await statusOf(id)).toBe('lab_processing_blocked');
  await say(status('SC'));
  expect(await statusOf(id)).toBe('lab_processing_blocked');
});
