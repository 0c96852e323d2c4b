// The commands by which an operator books appointments by telephone.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { phoenix } from '../../../../test/collected-orders.ts';
import {
  lowStatuses,
  makeUser,
  patientAddress,
  patientDetails,
  physician,
  readOrder,
} from '../../../../test/factories.ts';
import { addLabTest, byMllp, connectTestLaboratory } from '../../../../test/hl7-deployment.ts';
import { endPrograms, makeDatabase } from '../../../../test/program.ts';
import { runHere } from '../../../../test/run-here.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let app: TestApp;
let databaseUrl: string;
let visit: string;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'telephone-'));
  databaseUrl = await makeDatabase();
  app = await startTestApp({}, { databaseUrl });
  await connectTestLaboratory(databaseUrl, { orders: byMllp(9) });
  visit = await addLabTest(app, app.team, 'at_home_phlebotomy');
}, 60_000);
afterAll(async () => {
  await app.close();
  await endPrograms();
  rmSync(folder, { recursive: true });
});

const phial = (...words: string[]): ReturnType<typeof runHere> =>
  runHere(words, { env: { DATABASE_URL: databaseUrl } });
const ofOrder = (id: string): string[] => ['--team', app.team.id, '--order', id];

async function orderOfVisit(): Promise<string> {
  const { user_id } = await makeUser(app.team);
  const { body } = await app.team.api<{ order: { id: string } }>('POST', '/v3/order', {
    user_id,
    order_set: { lab_test_ids: [visit] },
    patient_details: patientDetails,
    patient_address: patientAddress,
    physician,
  });
  return body.order.id;
}
const request = (id: string) =>
  app.api<{ code: string; status: string; can_reschedule: boolean }>(
    'POST',
    `/v3/order/${id}/phlebotomy/appointment/request`,
    {
      address: phoenix,
      provider: 'getlabs',
    },
  );
const read = async (id: string) =>
  (await app.api<Record<string, unknown>>('GET', `/v3/order/${id}/phlebotomy/appointment`)).body;
const statuses = async (id: string): Promise<string[]> => lowStatuses(await readOrder(app.team, id)).slice(2);

test('the operator books, moves and completes a requested visit, and each step changes the order', async () => {
  const id = await orderOfVisit();
  const file = join(folder, 'scheduler.json');
  writeFileSync(
    file,
    JSON.stringify({ provider: 'getlabs', name: 'Saguaro Mobile Draws', telephone: true, states: ['XX'] }),
  );
  expect(await phial('scheduler', 'connect', '--file', file)).toMatchObject({
    code: 1,
    output: expect.stringContaining('/states/0 is no state'),
  });
  writeFileSync(file, JSON.stringify({ provider: 'getlabs', name: 'Saguaro Mobile Draws', telephone: true }));
  expect(await phial('scheduler', 'connect', '--file', file)).toMatchObject({ code: 0 });

  expect((await request(id)).body).toMatchObject({ status: 'pending', can_reschedule: false });
  await app.runJobs();
  expect(await statuses(id)).toEqual(['appointment_pending']);
  const listed = await phial('appointment', 'list', '--team', app.team.id);
  expect(JSON.parse(listed.stdout)).toMatchObject({ what: 'book', order_id: id, provider: 'getlabs' });
  expect(listed.stdout).not.toContain('Palmer');
  const shown = await phial('appointment', 'show', ...ofOrder(id));
  expect(JSON.parse(shown.stdout)).toMatchObject({ patient: { last_name: 'Palmer' }, site: { address: phoenix } });

  expect(await phial('appointment', 'book', ...ofOrder(id), '--start', '2031-01-31T09:00')).toMatchObject({ code: 2 });
  const booked = await phial(
    'appointment',
    'book',
    ...ofOrder(id),
    '--start',
    '2031-01-31T09:00-07:00',
    '--reference',
    'V-1042',
  );
  expect(booked).toMatchObject({ code: 0 });
  expect(await read(id)).toMatchObject({
    status: 'confirmed',
    start_at: '2031-01-31T16:00:00.000Z',
    end_at: '2031-01-31T17:00:00.000Z',
    external_id: 'V-1042',
    can_reschedule: false,
  });
  expect(await phial('appointment', 'reschedule', ...ofOrder(id), '--start', '2031-02-01T09:00-07:00')).toMatchObject({
    code: 0,
  });
  expect(await phial('appointment', 'complete', ...ofOrder(id))).toMatchObject({ code: 0 });
  expect(await read(id)).toMatchObject({ status: 'completed', start_at: '2031-02-01T16:00:00.000Z' });
  expect(await statuses(id)).toEqual([
    'appointment_pending',
    'appointment_scheduled',
    'appointment_scheduled',
    'draw_completed',
  ]);
  const lines = await app.db
    .selectFrom('audit_log')
    .select(['action', 'records'])
    .where('actor', '=', 'operator')
    .execute();
  expect(lines.map(({ action }) => action)).toEqual([
    'lab connect',
    'scheduler connect',
    'appointment show',
    'appointment book',
    'appointment reschedule',
    'appointment complete',
  ]);
  expect(lines.at(-1)?.records).toEqual([id]);
});

test('a cancellation of an appointment booked by telephone is listed until the operator has passed it on', async () => {
  const id = await orderOfVisit();
  expect(await phial('appointment', 'cancel', ...ofOrder(id))).toMatchObject({ code: 1 });
  expect(await phial('appointment', 'book', ...ofOrder(id), '--start', '2031-03-01T09:00-07:00')).toMatchObject({
    code: 0,
  });
  expect(await read(id)).toMatchObject({ status: 'confirmed', provider: 'getlabs', address: phoenix });
  expect((await app.api('POST', `/v3/order/${id}/cancel`)).status).toBe(200);
  expect(await read(id)).toMatchObject({ status: 'cancelled' });
  const list = async () => (await phial('appointment', 'list', '--team', app.team.id)).stdout;
  expect(JSON.parse(await list())).toMatchObject({ what: 'cancel', order_id: id });
  expect(await phial('appointment', 'cancel', ...ofOrder(id))).toMatchObject({ code: 0 });
  expect(await list()).toBe('');
  expect(
    await phial('appointment', 'book', '--team', app.team.org_id, '--order', id, '--start', '2031-03-01T09:00Z'),
  ).toMatchObject({
    code: 1,
    output: expect.stringContaining('Team not found'),
  });
});
