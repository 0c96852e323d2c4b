import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makeUser } from '../../../test/factories.ts';

type Connection = {
  slug: string;
  last_data_at: string | null;
  last_attempt: { timestamp: string; status: string } | null;
  next: { action: string; at: string | null; resources: string[] };
};

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const connections = async (user_id: string): Promise<Connection[]> =>
  (await app.api<{ providers: Connection[] }>('GET', `/v2/user/providers/${user_id}`)).body.providers;

test('a pulled connection shows the rest of its past, then its last data and the next poll', async () => {
  const { user_id } = await makeUser(app.team);
  await app.api('POST', '/v2/link/connect/demo', { user_id, provider: 'strava' });
  expect(await connections(user_id)).toMatchObject([
    {
      slug: 'strava',
      last_data_at: null,
      last_attempt: null,
      next: {
        action: 'historical_pull',
        at: expect.any(String),
        resources: ['profile', 'workout_stream', 'workouts'],
      },
    },
  ]);
  const began = new Date().toISOString();
  await app.runJobs();
  const [connection] = await connections(user_id);
  expect(connection).toMatchObject({ last_attempt: { status: 'success' }, next: { action: 'poll', resources: [] } });
  expect((connection?.last_data_at ?? '') >= began).toBe(true);
  expect((connection?.next.at ?? '') > began).toBe(true);
  await app.api('POST', '/v2/link/bulk_pause', { provider: 'strava', user_ids: [user_id] });
  expect((await connections(user_id))[0]?.next).toEqual({ action: 'reconnect', at: null, resources: [] });
});

test('a phone shows a push as its next step, and a value that came again is not new data', async () => {
  const { user_id } = await makeUser(app.team);
  const push = (value: number) =>
    app.api('POST', `/v2/timeseries/${user_id}/samples`, [
      { resource: 'heartrate', provider: 'apple_health_kit', timestamp: '2026-01-05T10:00:00Z', unit: 'bpm', value },
    ]);
  await push(60);
  const [first] = await connections(user_id);
  expect(first).toMatchObject({ last_attempt: null, next: { action: 'push', at: null, resources: [] } });
  await push(60);
  expect((await connections(user_id))[0]?.last_data_at).toBe(first?.last_data_at);
  await push(61);
  expect(((await connections(user_id))[0]?.last_data_at ?? '') > (first?.last_data_at ?? '')).toBe(true);
});
