import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makeUser, subscribe } from '../../../test/factories.ts';
import { startEndpoint, type Endpoint } from '../../../test/endpoint.ts';
import { RoundTrip } from '../../db/session/round-trip.ts';

let app: TestApp;
let endpoint: Endpoint;
beforeAll(async () => {
  // With one connection, every statement of the test is already prepared on it.
  app = await startTestApp({}, { poolSize: 1 });
  endpoint = await startEndpoint();
  await subscribe(app.team, endpoint);
});
afterAll(async () => {
  await endpoint.close();
  await app.close();
});

const heartRate = (minute: number, value = 60) => ({
  resource: 'heartrate',
  provider: 'apple_health_kit',
  source_type: 'watch',
  timestamp: new Date(Date.UTC(2026, 0, 5, 7, minute)).toISOString(),
  unit: 'bpm',
  value,
});

test('a push takes four round trips to the database, with its events and its line in the audit log', async () => {
  const { user_id } = await makeUser(app.team);
  const push = async (minute: number, { value = 60, headers = {} } = {}) => {
    const { body } = await app.api<{ created: number; updated: number; unchanged: number }>(
      'POST',
      `/v2/timeseries/${user_id}/samples`,
      [heartRate(minute, value)],
      { headers },
    );
    return body;
  };
  /**
   * Returns the lowest count of five tries. The process also sends statements of its own from time to time, and these
   * can raise the count of a try.
   */
  const tripsOf = async (work: (n: number) => Promise<unknown>): Promise<number> => {
    const counts: number[] = [];
    for (const n of [0, 1, 2, 3, 4]) {
      const submit = vi.spyOn(RoundTrip.prototype, 'submit');
      try {
        await work(n);
        counts.push(submit.mock.calls.length);
      } finally {
        submit.mockRestore();
      }
    }
    return Math.min(...counts);
  };
  const keyed = () => ({ headers: { 'x-idempotency-key': randomUUID() } });
  await push(1);
  await push(1, { value: 61 });
  await push(2, keyed());
  expect(await tripsOf(async (n) => expect(await push(10 + n)).toMatchObject({ created: 1 }))).toBe(4);
  expect(await tripsOf(async (n) => expect(await push(10, { value: 62 + n })).toMatchObject({ updated: 1 }))).toBe(4);
  expect(await tripsOf(async () => expect(await push(10, { value: 66 })).toMatchObject({ unchanged: 1 }))).toBe(4);
  expect(await tripsOf(async (n) => expect(await push(20 + n, keyed())).toMatchObject({ created: 1 }))).toBe(5);
  await app.deliver();
  expect(endpoint.received.filter(({ body }) => body.event_type.startsWith('daily.data.heartrate'))).toHaveLength(18);
  await app.flushAudit();
  const lines = await app.db.selectFrom('audit_log').select('action').where('action', '=', 'push_samples').execute();
  expect(lines).toHaveLength(23);
});
