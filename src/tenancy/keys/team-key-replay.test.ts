import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { findTraces } from '../../../test/traces.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

test('a repeated request for a team key answers the same key, which no row of the database shows', async () => {
  const create = () =>
    app.api<{ id: string; value: string }>(
      'POST',
      `/v1/org/${app.team.org_id}/team_api_keys/sandbox/us`,
      { label: 'clinic', team_id: app.team.id },
      { headers: { 'x-idempotency-key': 'clinic-key' } },
    );
  const first = await create();
  const again = await create();
  expect(first.status).toBe(200);
  expect(again.body).toEqual(first.body);
  expect((await app.api('GET', '/v2/user', undefined, { key: first.body.value })).status).toBe(200);
  // Nor does one show it to whoever has the service's own keys.
  expect(await findTraces(app, ['clinic-key'])).toEqual(['idempotency_keys.key']);
  expect(await findTraces(app, [first.body.value])).toEqual([]);
  const keys = await app.db.selectFrom('team_api_keys').select('id').where('label', '=', 'clinic').execute();
  expect(keys).toHaveLength(1);
});
