import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/app.ts';

let app: TestApp;
beforeAll(async () => { app = await startTestApp(); });
afterAll(() => app.close());

test('a user is made and read back', async () => {
  const made = await app.api<{ user_id: string }>('POST', '/v2/user', { client_user_id: 'ada' });
  expect(made.status).toBe(200);
  const read = await app.api('GET', `/v2/user/${made.body.user_id}`);
  expect(read.body).toEqual(made.body);
});
