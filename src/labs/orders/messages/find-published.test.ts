import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bookedOrder } from '../../../../test/collected-orders.ts';
import { orderKit, registeredKit, simulate } from '../../../../test/factories.ts';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';

let app: TestApp;
let team: Team;
beforeAll(async () => {
  app = await startTestApp();
  team = await app.makeTeam();
});
afterAll(() => app.close());

type Page = {
  order_id: string;
  events: { id: string; event_type: string; order_event_id: number | null; status: string | null }[];
};
const eventsOf = async (orderId: string): Promise<Page> =>
  (await team.api<Page>('GET', `/v3/order/${orderId}/event`)).body;

describe('the published events of an order', () => {
  test('are one for each status, with the id under which webhooks send them, the newest first', async () => {
    const order = await registeredKit(team);
    const another = await orderKit(team, order.user_id);
    await simulate(team, order.id, '', { interpretation: 'critical' });
    const { events, order_id } = await eventsOf(order.id);
    expect(order_id).toBe(order.id);
    const { body } = await team.api<{ events: { id: number; status: string }[] }>('GET', `/v3/order/${order.id}`);
    const reported = events.filter(({ status }) => status !== null).toReversed();
    expect(reported.map(({ order_event_id: id, status }) => ({ id, status }))).toEqual(
      body.events.map(({ id, status }) => ({ id, status })),
    );
    expect(events.map(({ event_type }) => event_type)).toContain('labtest.result.critical');
    expect((await eventsOf(another.id)).events.map(({ event_type }) => event_type)).toEqual([
      'labtest.order.updated',
      'labtest.order.created',
    ]);
    const feed = await team.api<{ data: { id: string }[] }>('GET', '/v2/events?limit=100');
    const sent = feed.body.data.map(({ id }) => id);
    for (const { id } of events) expect(sent).toContain(id);
  });

  test('include those of its appointments', async () => {
    const { events } = await eventsOf(await bookedOrder(team, 'phlebotomy'));
    expect(events.map(({ event_type }) => event_type)).toContain('labtest.appointment.created');
  });
});
