// Bounds of messages, and metrics of waiting messages.
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { addLabTest, byMllp, connectTestLaboratory, kitAtLaboratory } from '../../../../test/hl7-deployment.ts';
import {
  resultMessage,
  sendFrame,
  startHl7Laboratory,
  text_,
  type Hl7Laboratory,
  type ResultToSend,
} from '../../../../test/hl7-laboratory.ts';
import { startHl7, type Hl7 } from './start-hl7.ts';

let laboratory: Hl7Laboratory;
let app: TestApp;
let hl7: Hl7;
let labTestId: string;
let order: { id: string; placer: string };
beforeAll(async () => {
  laboratory = await startHl7Laboratory();
  app = await startTestApp({ PHIAL_HL7_PORT: '0' });
  await connectTestLaboratory(app.databaseUrl, { orders: byMllp(laboratory.port) });
  labTestId = await addLabTest(app, app.team);
  hl7 = await startHl7(app.ctx);
});
beforeEach(async () => {
  laboratory.behave(null);
  const { id } = await kitAtLaboratory(app, app.team, labTestId);
  await app.runJobs();
  order = { id, placer: text_(laboratory.orders.at(-1) as never, 'ORC.2') };
});
afterAll(async () => {
  await hl7.stop();
  await app.close();
  await laboratory.close();
});

const glucose = { code: 'GLU', value: '90' };
const send = (result: Omit<ResultToSend, 'placer'>, more = '') =>
  sendFrame(hl7.port as number, resultMessage({ ...result, placer: order.placer }) + more);
const message = (controlId: string) =>
  app.db.selectFrom('hl7_messages').selectAll().where('control_id', '=', controlId).executeTakeFirstOrThrow();
const results = () => app.team.api('GET', `/v3/order/${order.id}/result`);

describe('a result beyond a bound waits for the operator, and nothing of it is stored with the order:', () => {
  const repeated = (count: number, line: (n: number) => string): string =>
    Array.from({ length: count }, (_, n) => `\r${line(n)}`).join('');

  test.each([
    ['too_many_observations', repeated(1_000, (n) => `OBX|${n}|NM|GLU^^L|${n}|90||||||F`)],
    ['too_many_samples', repeated(101, (n) => `SPM|${n}|S${n}`)],
    ['text_too_long', `\rNTE|1||${'x'.repeat(65_537)}`],
    ['text_too_long', `\rOBX|2|NM|A1C^${'x'.repeat(4_001)}^L||5.4||||||F`],
  ])('%s', async (code, more) => {
    const controlId = `B${more.length}`;
    expect(await send({ controlId, values: [glucose] }, more)).toMatchObject({ code: 'AE', error: code });
    expect(await message(controlId)).toMatchObject({ state: 'failed', reason: code });
    expect((await results()).status).toBe(404);
  });
});

test('the metrics of a laboratory count waiting orders, refused orders and messages to repair', async () => {
  const seen = async (): Promise<Record<string, number>> => {
    const text = await (await fetch(`${app.baseUrl}/metrics`)).text();
    const lines = [...text.matchAll(/^phial_laboratory_(\w+)\{lab="saguaro-lab"\} (\S+)$/gm)];
    return Object.fromEntries(lines.map(([, name, value]) => [name, Number(value)]));
  };
  const before = await seen();
  expect(before).toMatchObject({ orders_waiting: 0, oldest_order_waiting_seconds: 0 });
  laboratory.behave('refuses');
  await kitAtLaboratory(app, app.team, labTestId);
  await app.runJobs();
  await laboratory.down(true);
  await kitAtLaboratory(app, app.team, labTestId);
  await app.runJobs();
  await send({ controlId: 'M1', values: [{ code: 'NEW', value: '1' }] });
  const after = await seen();
  expect(after).toMatchObject({
    orders_waiting: 1,
    orders_refused: (before['orders_refused'] as number) + 1,
    results_waiting: (before['results_waiting'] as number) + 1,
  });
  expect(after['oldest_order_waiting_seconds']).toBeGreaterThan(0);
  await laboratory.down(false);
});

test('a laboratory that sends on many connections has only two messages handled at a time', async () => {
  const controlIds = [1, 2, 3, 4, 5].map((n) => `TURN${n}`);
  let release: (() => void) | undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let isLocked: (() => void) | undefined;
  const locked = new Promise<void>((resolve) => (isLocked = resolve));
  const lock = app.db.transaction().execute(async (tx) => {
    await sql`lock table hl7_messages in exclusive mode`.execute(tx);
    isLocked?.();
    await released;
  });
  await locked;
  const answers = Promise.all(controlIds.map((controlId) => send({ controlId, values: [glucose] })));
  const blocked = async (): Promise<number> =>
    (
      await sql`
        select from pg_stat_activity
         where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`.execute(app.db)
    ).rows.length;
  await expect.poll(blocked).toBe(2);
  await wait(200);
  expect(await blocked()).toBe(2);
  release?.();
  await lock;
  expect((await answers).map((answer) => answer?.code)).toEqual(['AA', 'AA', 'AA', 'AA', 'AA']);
});
