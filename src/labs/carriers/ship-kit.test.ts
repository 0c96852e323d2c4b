import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import {
  consents,
  hookOfCarrier,
  lowStatuses,
  makeUser,
  orderKit,
  patientAddress,
  patientDetails,
  physician,
  readOrder,
  shippingAddress,
  type OrderBody,
} from '../../../test/factories.ts';
import { addLabTest, byMllp, connectTestLaboratory } from '../../../test/hl7-deployment.ts';
import { endPrograms, makeDatabase } from '../../../test/program.ts';
import { runHere } from '../../../test/run-here.ts';

let app: TestApp;
let databaseUrl: string;
let labTestId: string;
beforeAll(async () => {
  databaseUrl = await makeDatabase();
  app = await startTestApp({}, { databaseUrl });
  // No laboratory answers on this port. Parcels do not depend on the messages to the laboratory.
  await connectTestLaboratory(databaseUrl, { orders: byMllp(9) });
  labTestId = await addLabTest(app, app.team);
}, 60_000);
afterAll(async () => {
  await app.close();
  await endPrograms();
});

const [OUT, BACK] = ['9400111200000000000777', '9202090153540000000778'];

/** Orders a kit at the laboratory that is connected by HL7. */
async function kit(): Promise<OrderBody> {
  const { user_id } = await makeUser(app.team);
  const body = { user_id, lab_test_id: labTestId, shipping_details: shippingAddress };
  return (await app.team.api<{ order: OrderBody }>('POST', '/v3/order/testkit', body)).body.order;
}
const ship = (order: string, ...words: string[]): ReturnType<typeof runHere> =>
  runHere(['lab', 'ship-kit', '--team', app.team.id, '--order', order, ...words], {
    env: { DATABASE_URL: databaseUrl },
  });
async function scan(number: string, status: string, carrier = 'USPS'): Promise<void> {
  const updated_at = new Date().toISOString();
  const answer = await hookOfCarrier(app.team, {
    tracking_code: number,
    status,
    status_detail: '',
    updated_at,
    carrier,
  });
  expect([answer.status, answer.body]).toEqual([200, { received: true }]);
  await app.runJobs();
}
const statusOf = async ({ id }: OrderBody): Promise<string | undefined> =>
  lowStatuses(await readOrder(app.team, id)).at(-1);
const lines = () => app.db.selectFrom('audit_log').selectAll().where('action', '=', 'lab ship-kit').execute();

test('scans of the tracking numbers of lab ship-kit move a kit of an HL7 laboratory to its user and back', async () => {
  const order = await kit();
  expect(order.details.data.shipment).toBeNull();
  const command = await ship(
    order.id,
    '--outbound',
    '9400 1112 0000 0000 000777',
    '--inbound',
    BACK,
    '--courier',
    'usps',
  );
  expect(command).toMatchObject({ code: 0, stdout: 'Updates about these numbers now advance the order of the kit.\n' });
  const shipped = await readOrder(app.team, order.id);
  expect(shipped.details.data.shipment).toMatchObject({
    outbound_tracking_number: '9400 1112 0000 0000 000777',
    outbound_courier: 'usps',
    inbound_tracking_number: BACK,
    inbound_tracking_url: `https://tools.usps.com/go/TrackConfirmAction?tLabels=${BACK}`,
  });
  expect(lowStatuses(shipped).at(-1)).toBe('awaiting_registration');
  expect(shipped.updated_at > order.updated_at).toBe(true);
  expect(await lines()).toMatchObject([
    { actor: 'operator', team_id: app.team.id, org_id: app.team.org_id, records: [order.id] },
  ]);
  await scan(OUT, 'in_transit');
  expect(await statusOf(order)).toBe('transit_customer');
  await scan(OUT, 'delivered');
  expect(await statusOf(order)).toBe('with_customer');
  const env = { DATABASE_URL: databaseUrl };
  const issued = await runHere(['lab', 'issue-kits', '--team', app.team.id, '--count', '1'], { env });
  const registered = await app.team.api('POST', '/v3/order/testkit/register', {
    user_id: order.user_id,
    sample_id: issued.stdout.trim(),
    patient_details: patientDetails,
    patient_address: patientAddress,
    consents,
    physician,
  });
  expect(registered.status).toBe(200);
  await scan(BACK, 'in_transit');
  expect(await statusOf(order)).toBe('transit_lab');
  await scan(BACK, 'delivered');
  expect(await statusOf(order)).toBe('delivered_to_lab');
  const late = await ship(order.id, '--outbound', OUT);
  expect(late).toMatchObject({ code: 1, output: expect.stringContaining('No parcel of order') });
}, 60_000);

test('a second lab ship-kit replaces the number, the courier and the tracking URL', async () => {
  const order = await kit();
  const [wrong, right] = ['1Z999AA10123450001', '1Z999AA10123450002'];
  expect((await ship(order.id, '--outbound', wrong, '--courier', 'ups')).code).toBe(0);
  expect((await ship(order.id, '--outbound', right)).code).toBe(0);
  expect((await readOrder(app.team, order.id)).details.data.shipment).toMatchObject({
    outbound_tracking_number: right,
    outbound_courier: null,
    outbound_tracking_url: null,
    inbound_tracking_number: null,
  });
  await scan(wrong, 'in_transit', 'UPS');
  expect(await statusOf(order)).toBe('awaiting_registration');
  await scan(right, 'in_transit', 'CanadaPost');
  expect(await statusOf(order)).toBe('transit_customer');
}, 60_000);

test('lab ship-kit refuses invalid numbers and other orders with a sentence, and stores nothing', async () => {
  const before = (await lines()).length;
  const [order, cancelled, another] = [await kit(), await kit(), await app.makeTeam()];
  await app.team.api('POST', `/v3/order/${cancelled.id}/cancel`);
  const foreign = await orderKit(another);
  const { user_id } = await makeUser(app.team);
  const walkIn = await app.team.api<{ order: OrderBody }>('POST', '/v3/order', {
    user_id,
    lab_test_id: await addLabTest(app, app.team, 'walk_in_test'),
    patient_details: patientDetails,
    patient_address: patientAddress,
    physician,
  });
  const answers = await Promise.all([
    ship(order.id),
    ship(order.id, '--outbound', '12345'),
    ship(order.id, '--outbound', '9'.repeat(101)),
    ship(order.id, '--inbound', '9400<script>'),
    ship(order.id, '--outbound', OUT, '--inbound', `${OUT.slice(0, 4)} ${OUT.slice(4)}`),
    ship(order.id, '--outbound', OUT, '--courier', 'usp'),
  ]);
  expect(answers.map(({ code }) => code)).toEqual(Array(6).fill(2));
  expect(answers.map(({ output }) => output)).toMatchObject([
    expect.stringContaining('takes --outbound or --inbound'),
    ...Array<unknown>(2).fill(expect.stringContaining('takes 6 to 100 letters and digits')),
    expect.stringContaining('as --inbound'),
    expect.stringContaining('takes two different numbers'),
    expect.stringContaining('takes usps, ups, fedex, dhl, ontrac as --courier'),
  ]);
  const refused = [
    [cancelled.id, 'No parcel of order'],
    [walkIn.body.order.id, 'is no kit: it is walk_in_test.'],
    [foreign.id, 'Order not found.'],
  ] as const;
  for (const [id, sentence] of refused)
    expect(await ship(id, '--outbound', OUT)).toMatchObject({ code: 1, output: expect.stringContaining(sentence) });
  expect((await readOrder(app.team, order.id)).details.data.shipment).toBeNull();
  expect((await lines()).length).toBe(before);
}, 60_000);
