import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makeUser } from '../../../test/people.ts';
import { findTraces } from '../../../test/find-traces.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

test('a repeated request for a team key gets the same key, which no row of the database shows', async () => {
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
  // findTraces decrypts all columns with the keys of the service. It does not find the key, because the stored response
  // is also encrypted with the caller's key.
  expect(await findTraces(app, ['clinic-key'])).toEqual(['idempotency_keys.key']);
  expect(await findTraces(app, [first.body.value])).toEqual([]);
  const keys = await app.db.selectFrom('team_api_keys').select('id').where('label', '=', 'clinic').execute();
  expect(keys).toHaveLength(1);
});

test('a secret is repeated for five minutes, and then neither shown nor made again', async () => {
  const org = `/v1/org/${app.team.org_id}`;
  const makeKey = () =>
    app.api<{ value: string; code: string }>(
      'POST',
      `${org}/team_api_keys/sandbox/us`,
      { label: 'later', team_id: app.team.id },
      { headers: { 'x-idempotency-key': 'later' } },
    );
  const makeToken = () =>
    app.api<{ code: string }>(
      'POST',
      `${org}/team/${app.team.id}/create_api_access_token`,
      { env: 'sandbox' },
      { headers: { 'x-idempotency-key': 'later' } },
    );
  const made = [await makeKey(), await makeToken()];
  expect(made.map(({ status }) => status)).toEqual([200, 200]);
  await storedBefore('4 minutes 50 seconds');
  expect((await makeKey()).body).toEqual(made[0]?.body);
  expect((await makeToken()).body).toEqual(made[1]?.body);
  await storedBefore('20 seconds');
  for (const make of [makeKey, makeToken]) {
    const { status, body } = await make();
    expect([status, body.code]).toEqual([409, 'idempotency_answer_ended']);
  }
  const keys = await app.db.selectFrom('team_api_keys').select('id').where('label', '=', 'later').execute();
  expect(keys).toHaveLength(1);
});

test('a refusal of an operation that shows secrets is repeated like any other', async () => {
  const user_id = await makeUser(app.api);
  const ask = () =>
    app.api<{ code: string }>(
      'POST',
      '/v2/link/token',
      { user_id, redirect_url: 'http://unlisted.example.com/' },
      { headers: { 'x-idempotency-key': 'refused' } },
    );
  const first = await ask();
  await storedBefore('6 minutes');
  const again = await ask();
  expect([first.status, first.body.code]).toEqual([400, 'redirect_url_refused']);
  expect(again.body).toEqual(first.body);
});

/** Makes the stored responses of the two idempotency keys of these tests older. */
const storedBefore = (interval: string): Promise<unknown> =>
  app.db
    .updateTable('idempotency_keys')
    .set({ created_at: sql`created_at - ${interval}::interval` })
    .where('key', 'in', ['later', 'refused'])
    .execute();
