// Blood draws at home in production. An order has only those events of a visit that somebody reported.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import {
  lowStatuses,
  makeUser,
  patientAddress,
  patientDetails,
  physician,
  readOrder,
} from '../../../../test/factories.ts';
import { addLabTest, byMllp, connectTestLaboratory } from '../../../../test/hl7-deployment.ts';
import {
  resultMessage,
  sendFrame,
  startHl7Laboratory,
  text_,
  type Hl7Laboratory,
} from '../../../../test/hl7-laboratory.ts';
import { startHl7, type Hl7 } from './start-hl7.ts';

let laboratory: Hl7Laboratory;
let app: TestApp;
let hl7: Hl7;
let visit: string;
beforeAll(async () => {
  laboratory = await startHl7Laboratory();
  app = await startTestApp({ PHIAL_ENVIRONMENT: 'production', PHIAL_HL7_PORT: '0' });
  await connectTestLaboratory(app.databaseUrl, { orders: byMllp(laboratory.port) });
  visit = await addLabTest(app, app.team, 'at_home_phlebotomy');
  hl7 = await startHl7(app.ctx);
});
afterAll(async () => {
  await hl7.stop();
  await app.close();
  await laboratory.close();
});

async function orderOfVisit(): Promise<{ id: string; placer: string }> {
  const { user_id } = await makeUser(app.team);
  const { body } = await app.team.api<{ order: { id: string } }>('POST', '/v3/order', {
    user_id,
    order_set: { lab_test_ids: [visit] },
    patient_details: patientDetails,
    patient_address: patientAddress,
    physician,
  });
  await app.runJobs();
  return { id: body.order.id, placer: text_(laboratory.orders.at(-1) as never, 'ORC.2') };
}

const values = [
  { code: 'GLU', value: '88', unit: 'mg/dL' },
  { code: 'A1C', value: '5.4', unit: '%' },
];

test('results of a visit that was not booked here add the draw, and no appointment', async () => {
  const { id, placer } = await orderOfVisit();
  const answer = await sendFrame(hl7.port as number, resultMessage({ controlId: 'V1', placer, values } as never));
  expect(answer?.code).toBe('AA');
  expect(lowStatuses(await readOrder(app.team, id))).toEqual([
    'ordered',
    'requisition_bypassed',
    'draw_completed',
    'completed',
  ]);
});

test('a team can report a draw by its own people without an appointment', async () => {
  const { id } = await orderOfVisit();
  expect((await app.api('PATCH', `/v3/order/${id}/draw_completed`)).status).toBe(200);
  expect(lowStatuses(await readOrder(app.team, id))).toEqual(['ordered', 'requisition_bypassed', 'draw_completed']);
});

test('without a scheduler an appointment is refused with a code, and the order has no event of one', async () => {
  const { id } = await orderOfVisit();
  const address = { first_line: '100 West Test Street', city: 'Phoenix', state: 'AZ', zip_code: '85004' };
  const asked = await app.api<{ code: string }>('POST', `/v3/order/${id}/phlebotomy/appointment/request`, {
    address,
    provider: 'getlabs',
  });
  expect([asked.status, asked.body.code]).toEqual([400, 'scheduler_not_connected']);
  expect(lowStatuses(await readOrder(app.team, id))).toEqual(['ordered', 'requisition_bypassed']);
});
