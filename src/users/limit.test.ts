import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ PHIAL_USERS_PER_TEAM: '2' });
});
afterAll(() => app.close());

test('a team that has as many users as it may have cannot add one until it deletes one', async () => {
  const create = () =>
    app.api<{ user_id: string; code: string; limit: number }>('POST', '/v2/user', { client_user_id: randomUUID() });
  const first = await create();
  expect((await create()).status).toBe(200);
  const refused = await create();
  expect([refused.status, refused.body.code, refused.body.limit]).toEqual([403, 'limit_reached', 2]);
  await app.api('DELETE', `/v2/user/${first.body.user_id}`);
  expect((await create()).status).toBe(200);
  const other = await app.makeTeam();
  expect((await other.api('POST', '/v2/user', { client_user_id: 'first' })).status).toBe(200);
});
