import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { startEndpoint } from '../../test/endpoint.ts';
import { eraseUsers } from '../../test/erase-due-users.ts';
import { importConnection, makeUser, orderKit, subscribe } from '../../test/factories.ts';
import { publishTo } from '../../test/publish-event.ts';
import { steps } from '../../test/invented-events.ts';
import { subtractLeavingUsers } from '../totals/subtract-leaving-users.ts';
import { createManagementKey } from '../tenancy/keys/create-management-key.ts';

type Figures = Record<'users' | 'connections' | 'orders' | 'orders_of_month' | 'deliveries_of_month', number>;
type Usage = Figures & {
  month: string;
  teams: number;
  data: (Figures & { team_id: string; name: string })[];
  next_cursor: string | null;
};

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

test('usage has what an organisation has and used this month, in sum and by team', async () => {
  const team = await app.makeTeam();
  const usage = async (query = ''): Promise<Usage> =>
    (await team.api<Usage>('GET', `/v1/org/${team.org_id}/usage?${query}`)).body;
  expect(await usage()).toMatchObject({ teams: 1, users: 0, connections: 0, orders: 0, deliveries_of_month: 0 });

  const second = await team.api<{ id: string }>('POST', `/v1/org/${team.org_id}/team`, {
    name: 'Second',
    region: 'us',
  });
  const { user_id } = await makeUser(team);
  await importConnection(team, user_id);
  const order = await orderKit(team, user_id);
  await orderKit(team);
  await orderKit(await app.makeTeam());
  const figures = { users: 2, connections: 1, orders: 2, orders_of_month: 2 };
  const read = await usage();
  expect(read).toMatchObject({ month: new Date().toISOString().slice(0, 7), teams: 2, ...figures });
  expect(read.data).toMatchObject([
    { team_id: team.id, ...figures },
    { team_id: second.body.id, name: 'Second', users: 0, orders: 0 },
  ]);

  const first = await usage('limit=1');
  const rest = await usage(`limit=1&next_cursor=${first.next_cursor}`);
  expect([first, rest].map(({ data }) => data.map(({ team_id }) => team_id))).toEqual([[team.id], [second.body.id]]);
  expect([rest.next_cursor, rest.users]).toEqual([null, 2]);

  // An erasure takes the order away, but it was placed.
  await team.api('DELETE', `/v2/user/${order.user_id}`);
  await sql`update users set deleted_at = now() - interval '8 days' where id = ${order.user_id}`.execute(app.db);
  await subtractLeavingUsers(app.ctx);
  expect(await usage()).toMatchObject({ users: 1, connections: 0, orders: 1, orders_of_month: 2 });
  await eraseUsers(app.ctx);
  expect(await usage()).toMatchObject({ users: 1, connections: 0, orders: 1, orders_of_month: 2 });
  expect(await usage('month=2026-01')).toMatchObject({ users: 1, orders_of_month: 0 });
});

test('usage counts deliveries that succeeded, over several writes of their counts', async () => {
  const team = await app.makeTeam();
  const endpoint = await startEndpoint({ invented: true });
  await subscribe(team, endpoint);
  const deliveries = async (): Promise<number> =>
    (await team.api<Usage>('GET', `/v1/org/${team.org_id}/usage`)).body.deliveries_of_month;
  for (const many of [2, 1]) {
    for (let n = 0; n < many; n += 1) await publishTo(app, team, steps, {});
    await app.deliver();
  }
  expect(await deliveries()).toBe(3);
  endpoint.answer((response) => response.writeHead(500).end());
  await publishTo(app, team, steps, {});
  await app.deliver();
  expect(await deliveries()).toBe(3);
  await endpoint.close();
});

test('usage is for the organisation: its own, with an Org Management Key, for a month that exists', async () => {
  const team = await app.makeTeam();
  const path = `/v1/org/${team.org_id}/usage`;
  const { value: key } = await createManagementKey(app.ctx, {
    org_id: team.org_id,
    label: 'bound',
    role: 'team_admin',
    team_ids: [team.id],
  });
  expect((await app.api('GET', path, undefined, { key })).status).toBe(403);
  expect((await app.api('GET', path)).status).toBe(404);
  for (const month of ['2026-13', '2026', '2026-1'])
    expect([month, (await team.api('GET', `${path}?month=${month}`)).status]).toEqual([month, 422]);
});
