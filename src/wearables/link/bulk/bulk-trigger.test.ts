import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { importConnection, makeUser } from '../../../../test/factories.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

type Pulled = Record<string, { status: string; trace_id: string; range_start: string }>;
const pulledOf = async (userId: string): Promise<Pulled> => {
  const { body } = await app.api<{ data: { provider: Record<string, { pulled: Pulled }> }[] }>(
    'GET',
    `/v2/introspect/historical_pull?user_id=${userId}`,
  );
  return body.data[0]?.provider['oura']?.pulled ?? {};
};
const connectDemo = async (): Promise<string> => {
  const { user_id } = await makeUser(app.team);
  await app.api('POST', '/v2/link/connect/demo', { user_id, provider: 'oura' });
  return user_id;
};
const trigger = (userIds: string[], more: object = { wait_for_completion: true }) =>
  app.api<{ user_ids_triggered: string[]; user_ids_failed: string[] }>(
    'POST',
    '/v2/link/bulk_trigger_historical_pull',
    {
      provider: 'oura',
      user_ids: userIds,
      ...more,
    },
  );

test('pulls the past of connections again, over the same time as at first', async () => {
  const user = await connectDemo();
  await app.runJobs();
  const before = await pulledOf(user);
  expect((await trigger([user])).body).toEqual({ user_ids_triggered: [user], user_ids_failed: [] });
  const asked = await pulledOf(user);
  for (const [resource, { status, trace_id, range_start }] of Object.entries(asked)) {
    expect([resource, status, range_start]).toEqual([resource, 'scheduled', before[resource]?.range_start]);
    expect(trace_id).not.toBe(before[resource]?.trace_id);
  }
  await app.runJobs();
  expect(new Set(Object.values(await pulledOf(user)).map(({ status }) => status))).toEqual(new Set(['success']));
});

test('returns users without a pulled connection, scheduled for deletion or of another team as failed', async () => {
  const user = await connectDemo();
  const [pushed, paused, leaving] = [await makeUser(app.team), await connectDemo(), await connectDemo()];
  await importConnection(app.team, pushed.user_id, {}, 'polar');
  await app.api('POST', '/v2/link/bulk_pause', { provider: 'oura', user_ids: [paused] });
  await app.api('DELETE', `/v2/user/${leaving}`);
  const otherUser = await makeUser(await app.makeTeam());
  const others = [pushed.user_id, paused, leaving, otherUser.user_id];
  expect((await trigger([...others, user])).body).toEqual({ user_ids_triggered: [user], user_ids_failed: others });
});

test('without waiting answers 202, and is in the list of bulk operations', async () => {
  const user = await connectDemo();
  const { status, body } = await trigger([user], {});
  expect([status, body]).toEqual([202, undefined]);
  const { body: list } = await app.api<{ data: object[] }>('GET', '/v2/link/bulk_op?page_size=1');
  expect(list.data).toMatchObject([
    { type: 'link_bulk_historical_trigger', status: 'success', provider: 'oura', processed: 1 },
  ]);
});
