import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { addLabTest, byMllp, connectTestLaboratory, kitAtLaboratory } from '../../../../test/hl7-deployment.ts';
import { startHl7Laboratory, until, type Hl7Laboratory } from '../../../../test/hl7-laboratory.ts';
import { endPrograms, makeDatabase, startProgram } from '../../../../test/program.ts';
import { ordersOutResumption } from './outbox/send-orders.ts';

let laboratory: Hl7Laboratory;
let app: TestApp;
let databaseUrl: string;
beforeAll(async () => {
  laboratory = await startHl7Laboratory();
  databaseUrl = await makeDatabase();
  app = await startTestApp({}, { databaseUrl });
  await connectTestLaboratory(databaseUrl, { orders: byMllp(laboratory.port), account_number: 'ACC-1' });
}, 60_000);
afterAll(async () => {
  await endPrograms();
  await app.close();
  await laboratory.close();
});

test('an order whose worker is killed before the answer is sent again unchanged', async () => {
  laboratory.behave('never_answers');
  const order = await kitAtLaboratory(app, app.team, await addLabTest(app, app.team));
  const worker = await startProgram({ args: ['worker'], env: { DATABASE_URL: databaseUrl } });
  await until(() => laboratory.orders.length > 0);
  expect(await worker.kill('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
  const sentBefore = laboratory.orders.length;
  laboratory.behave(null);
  await sql`update laboratory_senders set leased_until = now()`.execute(app.db);
  await sql`update laboratory_outbox set due_at = now() where state = 'waiting'`.execute(app.db);
  await ordersOutResumption.run(app.ctx, {});
  await app.runJobs();
  const [once] = laboratory.orders;
  const again = laboratory.orders.at(-1);
  expect(laboratory.orders.length).toBe(sentBefore + 1);
  expect(again?.toString()).toBe(once?.toString());
  expect(new Set(laboratory.controlIds()).size).toBe(1);
  const rows = await app.db.selectFrom('laboratory_outbox').selectAll().where('order_id', '=', order.id).execute();
  expect(rows).toMatchObject([{ state: 'accepted' }]);
}, 60_000);
