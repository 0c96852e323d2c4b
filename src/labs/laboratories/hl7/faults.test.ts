// An error in Phial stops one message or one order. The others do not wait for it. Phial gives it up after some tries.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { makeUser, patientAddress, patientDetails, physician } from '../../../../test/factories.ts';
import { addLabTest, byMllp, connectTestLaboratory, kitAtLaboratory } from '../../../../test/hl7-deployment.ts';
import {
  resultMessage,
  sendFrame,
  startHl7Laboratory,
  text_,
  until,
  type Hl7Laboratory,
} from '../../../../test/hl7-laboratory.ts';
import { inboxOfLaboratories } from './inbox/apply-waiting.ts';
import { MAX_TRIES } from './inbox/try-message.ts';
import { orderNumber } from './messages/order-number.ts';
import { ordersOutResumption } from './outbox/send-orders.ts';
import { startHl7, type Hl7 } from './start-hl7.ts';

let laboratory: Hl7Laboratory;
let app: TestApp;
let hl7: Hl7;
let labTestId: string;
const logged: string[] = [];
beforeAll(async () => {
  laboratory = await startHl7Laboratory();
  app = await startTestApp({ PHIAL_HL7_PORT: '0', PHIAL_LOG_LEVEL: 'info' }, { logTo: (line) => logged.push(line) });
  await connectTestLaboratory(app.databaseUrl, { orders: byMllp(laboratory.port) });
  labTestId = await addLabTest(app, app.team);
  hl7 = await startHl7(app.ctx);
});
beforeEach(() => {
  laboratory.orders.length = 0;
});
afterAll(async () => {
  await hl7.stop();
  await app.close();
  await laboratory.close();
});

describe('a message', () => {
  const message = (controlId: string) =>
    app.db.selectFrom('hl7_messages').selectAll().where('control_id', '=', controlId).executeTakeFirstOrThrow();
  const result = (controlId: string, placer = 'P0000000Z') =>
    resultMessage({ controlId, placer, values: [{ code: 'GLU', value: '90' }] });
  const arrivedBefore = (controlId: string, tries: number) =>
    sql`update hl7_messages set state = 'received', reason = null, decided_at = null, tries = ${tries},
               received_at = now() - interval '1 hour' where control_id = ${controlId}`.execute(app.db);

  test('has its try counted before it is applied, so that a try that ends the process counts', async () => {
    const { id } = await kitAtLaboratory(app, app.team, labTestId);
    await app.runJobs();
    await sendFrame(hl7.port as number, result('T1', text_(laboratory.orders.at(-1) as never, 'ORC.2')));
    await arrivedBefore('T1', 3);
    let applied: Promise<void> | undefined;
    await app.db.transaction().execute(async (tx) => {
      await sql`select from orders where id = ${id} for update`.execute(tx);
      applied = inboxOfLaboratories.run(app.ctx, {});
      await until(async () => (await message('T1')).tries === 4);
      expect(await message('T1')).toMatchObject({ state: 'received' });
    });
    await applied;
    expect(await message('T1')).toMatchObject({ state: 'applied', tries: 4 });
  });

  test('that never finishes is given up, and stays given up when the laboratory sends it again', async () => {
    await sendFrame(hl7.port as number, result('T2'));
    // On a busy machine, the acknowledgment may arrive before the first try to apply the message has ended.
    await until(async () => (await message('T2')).state !== 'received');
    await arrivedBefore('T2', MAX_TRIES);
    await inboxOfLaboratories.run(app.ctx, {});
    expect(await message('T2')).toMatchObject({ state: 'failed', reason: 'given_up' });
    expect(await sendFrame(hl7.port as number, result('T2'))).toMatchObject({ code: 'AE', error: 'given_up' });
  });
});

describe('an order', () => {
  const outbox = (orderId: string) =>
    app.db.selectFrom('laboratory_outbox').selectAll().where('order_id', '=', orderId).orderBy('id').execute();
  const dueNow = async (): Promise<void> => {
    await sql`update laboratory_outbox set due_at = now() where state = 'waiting'`.execute(app.db);
    await ordersOutResumption.run(app.ctx, {});
    await app.runJobs();
  };

  test('that fails here is deferred behind others, tried again and finally refused', async () => {
    const broken = await kitAtLaboratory(app, app.team, labTestId);
    const next = await kitAtLaboratory(app, app.team, labTestId);
    await sql`update orders set personal = '\\x00' where id = ${broken.id}`.execute(app.db);
    await app.runJobs();
    expect(await outbox(next.id)).toMatchObject([{ state: 'accepted' }]);
    expect(await outbox(broken.id)).toMatchObject([{ state: 'waiting', attempts: 1, last_error: 'internal_error' }]);
    expect(logged.join('')).toContain(broken.id);
    for (let tries = 2; tries <= 12; tries += 1) await dueNow();
    expect(await outbox(broken.id)).toMatchObject([{ state: 'refused', attempts: 12, last_error: 'internal_error' }]);
    expect(logged.join('')).not.toMatch(/Palmer|Grace/);
  });

  test('of a deleted team is not sent, and does not delay those behind it', async () => {
    const left = await kitAtLaboratory(app, app.team, labTestId);
    await sql`update laboratory_outbox set team_id = ${randomUUID()} where order_id = ${left.id}`.execute(app.db);
    const next = await kitAtLaboratory(app, app.team, labTestId);
    await app.runJobs();
    expect(await outbox(left.id)).toMatchObject([{ state: 'refused', last_error: 'team_gone' }]);
    expect(await outbox(next.id)).toMatchObject([{ state: 'accepted' }]);
  });

  test('whose sample id another team has already gets another one', async () => {
    const other = await app.makeTeam();
    const { rows } = await sql<{ last: string }>`
      select nextval('order_number_counter')::text as last`.execute(app.db);
    const foreseen = Array.from({ length: 20 }, (_, at) => `K${orderNumber(BigInt(rows[0]?.last ?? 0) + BigInt(at))}`);
    for (const id of foreseen)
      await sql`insert into sample_ids (sample_id, team_id) values (${id}, ${other.id})`.execute(app.db);
    const { user_id } = await makeUser(app.team);
    const { body } = await app.team.api<{ order: { id: string } }>('POST', '/v3/order', {
      user_id,
      order_set: { lab_test_ids: [await addLabTest(app, app.team, 'on_site_collection')] },
      patient_details: patientDetails,
      patient_address: patientAddress,
      physician,
    });
    await app.runJobs();
    expect(await outbox(body.order.id)).toMatchObject([{ state: 'accepted' }]);
    const sent = text_(laboratory.orders.at(-1) as never, 'SPM.2').split('^')[0];
    expect(sent).toMatch(/^KP[0-9A-Z]{9,}$/);
    expect(foreseen).not.toContain(sent);
  });
});
