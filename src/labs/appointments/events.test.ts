// The events of appointments that endpoints receive.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { askPhlebotomy, orderBy, phoenix, slotsOf } from '../../../test/collected-orders.ts';
import { subscribe } from '../../../test/factories.ts';
import { startEndpoint } from '../../../test/endpoint.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const REASON = '0b7f6a52-3c1d-4e8a-9f20-000000000199';

/** Books, moves and cancels an appointment of the team. Returns what the team's endpoint received, in order. */
async function heardOf(team: Team): Promise<{ event_type: string; data: Record<string, unknown>; user_id: string }[]> {
  const endpoint = await startEndpoint();
  await subscribe(team, endpoint, ['labtest.appointment.*']);
  const id = await orderBy(team, 'at_home_phlebotomy');
  const address = { ...phoenix, access_notes: 'The key is under the mat' };
  const [first, second] = slotsOf(await askPhlebotomy(team, address));
  const path = `/v3/order/${id}/phlebotomy/appointment`;
  await team.api('POST', `${path}/book`, { booking_key: first?.booking_key, appointment_notes: 'Ring twice' });
  await team.api('PATCH', `${path}/reschedule`, { booking_key: second?.booking_key });
  await team.api('PATCH', `${path}/cancel`, { cancellation_reason_id: REASON, notes: 'They are away' });
  await app.deliver();
  await endpoint.close();
  return endpoint.received
    .map(({ body }) => body as unknown as { event_type: string; data: Record<string, unknown>; user_id: string })
    .toSorted((a, b) => (a.data['events'] as []).length - (b.data['events'] as []).length);
}

test('each change of an appointment publishes one event, without what people wrote', async () => {
  const heard = await heardOf(await app.makeTeam());
  expect(heard.map(({ event_type, data }) => [event_type, data['status'], data['event_status']])).toEqual([
    ['labtest.appointment.created', 'confirmed', 'scheduled'],
    ['labtest.appointment.updated', 'confirmed', 'scheduled'],
    ['labtest.appointment.updated', 'cancelled', 'cancelled'],
  ]);
  for (const { data, user_id } of heard) {
    expect(data).toMatchObject({ user_id, address: { ...phoenix, access_notes: null }, appointment_notes: null });
    expect(JSON.stringify(data)).not.toMatch(/mat|twice|away/);
  }
  expect(heard[2]?.data['event_data']).toMatchObject({ cancellation_reason_id: REASON });
});

test('a team that wants full patient details in its webhooks gets the notes too', async () => {
  const team = await app.makeTeam();
  await app.db
    .updateTable('teams')
    .set({ settings: JSON.stringify({ full_patient_details_in_webhooks: true }) })
    .where('id', '=', team.id)
    .execute();
  const heard = await heardOf(team);
  expect(heard[0]?.data).toMatchObject({
    appointment_notes: 'Ring twice',
    address: { access_notes: 'The key is under the mat' },
  });
  expect(heard[2]?.data['event_data']).toMatchObject({ notes: 'They are away' });
});
