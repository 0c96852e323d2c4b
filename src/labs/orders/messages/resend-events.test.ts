import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import { makeUser, orderKit, registeredKit, simulate, subscribe, type OrderBody } from '../../../../test/factories.ts';
import { startEndpoint, type Endpoint } from '../../../../test/endpoint.ts';
import { acrossTeams } from '../../../db/session/bind.ts';
import { dropExpired } from '../erase.ts';
import { resendResumption } from './resend-events.ts';

let app: TestApp;
let team: Team;
let endpoint: Endpoint;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam();
  endpoint = await startEndpoint();
  await subscribe(team, endpoint);
});

type Refusal = { order_ids: string[]; code: string; detail: { loc: string[]; msg: string }[] };
const resend = (body: object, by = team) => by.api<Refusal>('POST', '/v3/order/resend_events', body);
type SentEvent = { id: string; event_type: string; data: { id: string; status: string; events: { id: number }[] } };
const sent = async (): Promise<SentEvent[]> => {
  await app.runJobs();
  await app.deliver();
  return endpoint.received.map(({ id, body }) => ({ id, ...(body as unknown as Omit<SentEvent, 'id'>) }));
};
const at = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
const eventsOf = async (order: OrderBody) =>
  (await sent())
    .filter(({ data }) => data.id === order.id)
    .map(({ event_type, data }) => [event_type, data.events.length]);

describe('events that are sent again', () => {
  test('are those that were sent, as new messages, each with the order as it was then', async () => {
    const order = await orderKit(team);
    await simulate(team, order.id);
    const first = await sent();
    expect(first).toHaveLength(5);
    expect((await resend({ order_ids: [order.id, order.id.toUpperCase()] })).body).toEqual({ order_ids: [order.id] });
    const again = (await sent()).slice(5);
    const contentsOf = (events: SentEvent[]) =>
      events.map(({ event_type, data }) => [event_type, data.status, data.events.length]);
    expect(contentsOf(again).toSorted()).toEqual(contentsOf(first).toSorted());
    const ids = new Set([...first, ...again].map(({ id }) => id));
    expect(ids.size).toBe(10);
  });

  test('for a window are those that happened in it', async () => {
    const order = await orderKit(team);
    await simulate(team, order.id);
    await sent();
    endpoint.received.length = 0;
    const [first, second] = order.events.map(({ created_at }) => created_at);
    expect((await resend({ start_at: first, end_at: second })).body.order_ids).toEqual([order.id]);
    expect((await eventsOf(order)).toSorted()).toEqual([
      ['labtest.order.created', 1],
      ['labtest.order.updated', 2],
    ]);
    expect((await resend({ start_at: at(-300), end_at: at(-200) })).body.order_ids).toEqual([]);
    const before = new Date(Date.parse(first as string) - 1).toISOString();
    expect((await resend({ start_at: before, end_at: before })).body.order_ids).toEqual([]);
  });

  test('include those about critical results, unless they are outside the window', async () => {
    const order = await registeredKit(team);
    await simulate(team, order.id, '', { interpretation: 'critical' });
    const critical = async () => (await sent()).filter(({ event_type }) => event_type === 'labtest.result.critical');
    const [first, ...others] = await critical();
    expect(others).toEqual([]);
    await resend({ start_at: order.events[0]?.created_at, end_at: order.events[0]?.created_at });
    expect(await critical()).toHaveLength(1);
    await resend({ order_ids: [order.id] });
    const [, again, ...more] = await critical();
    expect([again?.data, more]).toEqual([first?.data, []]);
    expect(again?.id).not.toBe(first?.id);
  });

  test('are sent once, even if the worker was lost with their job', async () => {
    const user = await makeUser(team);
    const orders: OrderBody[] = [];
    for (let made = 0; made < 25; made += 1) orders.push(await orderKit(team, user.user_id));
    await sent();
    endpoint.received.length = 0;
    await resend({ order_ids: orders.map(({ id }) => id) });
    // A killed worker loses the job. The job that runs every minute then finds the request.
    await sql`delete from graphile_worker._private_jobs where key like 'resend %'`.execute(app.db);
    await sql`update event_resends set moved_at = now() - interval '2 minutes' where team_id = ${team.id}`.execute(
      app.db,
    );
    await app.runJobs();
    expect(await sent()).toHaveLength(0);
    await resendResumption.run(app.ctx, {});
    await resendResumption.run(app.ctx, {});
    expect(await sent()).toHaveLength(50);
    await resendResumption.run(app.ctx, {});
    expect(await sent()).toHaveLength(50);
  });

  test('may have no endpoint, and the request is deleted after a day', async () => {
    const order = await orderKit(team);
    await resend({ order_ids: [order.id] });
    await app.runJobs();
    const countResends = async () =>
      (await sql`select from event_resends where team_id = ${team.id}`.execute(app.db)).rows.length;
    expect(await countResends()).toBe(1);
    await sql`update event_resends set ended_at = now() - interval '25 hours'`.execute(app.db);
    await dropExpired(acrossTeams(app.ctx));
    expect(await countResends()).toBe(0);
  });
});

describe('a request to send events again is refused', () => {
  test.each([
    [{}, 'Either order_ids or start_at and end_at are needed'],
    [{ order_ids: ['018f0000-0000-7000-8000-000000000000'], start_at: at(-1), end_at: at(0) }, 'Either order_ids or'],
    [{ start_at: at(-1) }, 'Field required together with start_at'],
    [{ start_at: at(0), end_at: at(-1) }, 'Value should not be before start_at'],
    [{ start_at: at(-61 * 1_440), end_at: at(0) }, 'Value should be at most 60 days after start_at'],
    [{ order_ids: [] }, ''],
    [{ order_ids: Array.from({ length: 1_001 }, () => '018f0000-0000-7000-8000-000000000000') }, ''],
  ])('if it is %j', async (body, msg) => {
    const answer = await resend(body);
    expect([answer.status, answer.body.detail[0]?.msg]).toEqual([422, expect.stringContaining(msg)]);
  });

  test('if one of its orders is unknown or of another team', async () => {
    const [order, other] = [await orderKit(team), await app.makeTeam()];
    expect((await resend({ order_ids: [order.id] }, other)).status).toBe(404);
    expect((await resend({ order_ids: [order.id, '018f0000-0000-7000-8000-000000000000'] })).status).toBe(404);
  });

  test('if it names an order of a user who is scheduled for deletion, which a window skips', async () => {
    const [order, leaving] = [await orderKit(team), await orderKit(team)];
    await team.api('DELETE', `/v2/user/${leaving.user_id}`);
    const { status, body } = await resend({ order_ids: [order.id, leaving.id] });
    expect([status, body.code]).toEqual([404, 'user_scheduled_for_deletion']);
    expect((await resend({ start_at: at(-10), end_at: at(10) })).body.order_ids).toEqual([order.id]);
  });

  test('if ten are waiting already', async () => {
    const order = await orderKit(team);
    for (let asked = 0; asked < 10; asked += 1) await resend({ order_ids: [order.id] });
    const { status, body } = await resend({ order_ids: [order.id] });
    expect([status, body.code]).toEqual([403, 'limit_reached']);
  });
});

test('the setting for messages to a patient is stored with the order, and is true until it is set', async () => {
  const order = await orderKit(team);
  const path = `/v3/order/${order.id}/communication_settings`;
  const read = async () => (await team.api<object>('GET', path)).body;
  expect(await read()).toEqual({ order_id: order.id, sms_enabled: true });
  expect((await team.api<object>('PATCH', path, { sms_enabled: false })).body).toEqual({
    order_id: order.id,
    sms_enabled: false,
  });
  expect(await read()).toEqual({ order_id: order.id, sms_enabled: false });
  const other = await app.makeTeam();
  expect((await other.api<object>('GET', path)).status).toBe(404);
  expect((await team.api<object>('PATCH', path, {})).status).toBe(422);
});
