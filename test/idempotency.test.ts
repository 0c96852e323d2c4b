import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lockNumberOf } from '../src/db/session/named-lock.ts';
import { startTestApp, type Answer, type Api, type TestApp } from './test-app.ts';
import { query } from './global-setup.ts';
import { makeUser, person } from './people.ts';
import { untilBlocked } from './until-blocked.ts';

type Body = { member_id: string; code: string; request_id: string };

let app: TestApp;
let path: string;
let userId: string;
let keys = 0;
beforeAll(async () => {
  app = await startTestApp();
  userId = await makeUser(app.api);
  path = `/v2/user/${userId}/insurance`;
});
afterAll(() => app.close());

const insurance = { payor_code: 'SBX00001', member_id: 'M1', relationship: 'Self', insured: person };
const unknownPayor = { ...insurance, payor_code: 'LATER' };

const newKey = (): string => `key-${(keys += 1)}`;
type Options = { api?: Api; path?: string; headers?: Record<string, string> };
const add = (key: string, body: unknown = insurance, options: Options = {}): Promise<Answer<Body>> =>
  (options.api ?? app.api)<Body>('POST', options.path ?? path, body, {
    headers: { 'x-idempotency-key': key, ...options.headers },
  });
const insurances = async (): Promise<number> => (await app.db.selectFrom('insurances').select('id').execute()).length;
const stored = async (key: string) =>
  app.db.selectFrom('idempotency_keys').select(['operation', 'status']).where('key', '=', key).execute();

/** How many insurance records `work` adds. */
async function added(work: () => Promise<unknown>): Promise<number> {
  const before = await insurances();
  await work();
  return (await insurances()) - before;
}

test('without a key every call adds a record', async () => {
  expect(
    await added(async () => {
      await app.api('POST', path, insurance);
      await app.api('POST', path, insurance, { headers: { 'x-idempotency-key': '' } });
    }),
  ).toBe(2);
});

test('a repeated request gets the first answer and adds nothing', async () => {
  const key = newKey();
  expect(
    await added(async () => {
      const first = await add(key);
      const second = await add(key);
      expect(first.status).toBe(200);
      expect([second.status, second.body]).toEqual([first.status, first.body]);
    }),
  ).toBe(1);
  expect(await stored(key)).toEqual([{ operation: 'create_insurance', status: 200 }]);
});

test('the repeated answer is unchanged, even if the data has changed since', async () => {
  const key = newKey();
  const user = await makeUser(app.api);
  const first = await add(key, insurance, { path: `/v2/user/${user}/insurance` });
  await app.api('POST', `/v2/user/${user}/insurance`, { ...insurance, member_id: 'M2' });
  const second = await add(key, insurance, { path: `/v2/user/${user}/insurance` });
  expect([second.status, second.body]).toEqual([200, first.body]);
});

test('the same key with another body, or for another user, is 409', async () => {
  const key = newKey();
  await add(key);
  const elsewhere = `/v2/user/${await makeUser(app.api)}/insurance`;
  expect(
    await added(async () => {
      for (const response of [
        await add(key, { ...insurance, member_id: 'M2' }),
        await add(key, insurance, { path: elsewhere }),
      ]) {
        expect([response.status, response.body.code]).toEqual([409, 'idempotency_mismatch']);
      }
    }),
  ).toBe(0);
  expect((await add(key)).status).toBe(200);
});

test('a 400 is repeated, even if the request would now succeed', async () => {
  const key = newKey();
  const first = await add(key, unknownPayor);
  expect([first.status, first.body.code]).toEqual([400, 'unknown_payor']);
  const org_address = JSON.stringify({ ...person.address, second_line: '', access_notes: null });
  await app.db.insertInto('payors').values({ payor_code: 'LATER', name: 'Later', org_address }).execute();
  try {
    const second = await add(key, unknownPayor);
    expect([second.status, second.body]).toEqual([400, first.body]);
    expect((await add(newKey(), unknownPayor)).status).toBe(200);
  } finally {
    await app.db.deleteFrom('payors').where('payor_code', '=', 'LATER').execute();
  }
});

test('a stored 400 leaves no row from before the refusal', async () => {
  const headers = { 'x-idempotency-key': newKey() };
  await makeUser(app.api, 'only-once');
  const refused = await app.api('POST', '/v2/user', { client_user_id: 'only-once' }, { headers });
  expect(refused.status).toBe(400);
  expect(
    await app.db.selectFrom('users').select('id').where('client_user_id', '=', 'only-once').execute(),
  ).toHaveLength(1);
});

test('with X-Idempotency-Error: no-cache a 400 is not stored and a success is', async () => {
  const key = newKey();
  const headers = { 'x-idempotency-error': 'no-cache' };
  expect((await add(key, unknownPayor, { headers })).status).toBe(400);
  expect(await stored(key)).toEqual([]);
  expect(
    await added(async () => {
      expect((await add(key, insurance, { headers })).status).toBe(200);
      expect((await add(key, insurance, { headers })).status).toBe(200);
    }),
  ).toBe(1);
  expect((await add(key, unknownPayor, { headers })).body.code).toBe('idempotency_mismatch');
});

test('a request that failed validation stores nothing', async () => {
  const key = newKey();
  expect((await add(key, { ...insurance, relationship: 'Child' })).status).toBe(422);
  expect(await stored(key)).toEqual([]);
  expect((await add(key)).status).toBe(200);
});

test('a 404 stores nothing: the same request succeeds once the user is back', async () => {
  const key = newKey();
  const user = await makeUser(app.api);
  await app.api('DELETE', `/v2/user/${user}`);
  const options = { path: `/v2/user/${user}/insurance` };
  expect((await add(key, insurance, options)).status).toBe(404);
  expect(await stored(key)).toEqual([]);
  await app.api('POST', `/v2/user/undo_delete?user_id=${user}`);
  expect((await add(key, insurance, options)).status).toBe(200);
});

test('a 500 stores nothing and leaves the key free', async () => {
  const key = newKey();
  await query(app.databaseUrl, 'alter table payors rename to payors_away');
  try {
    expect((await add(key)).status).toBe(500);
  } finally {
    await query(app.databaseUrl, 'alter table payors_away rename to payors');
  }
  expect(await stored(key)).toEqual([]);
  expect((await add(key)).status).toBe(200);
});

test("another team's same key is another key", async () => {
  const key = newKey();
  const other = await app.makeTeam();
  await add(key);
  const theirs = await add(key, insurance, { api: other.api, path: `/v2/user/${await makeUser(other.api)}/insurance` });
  expect(theirs.status).toBe(200);
  const hidden = await add(key, insurance, { api: other.api });
  expect([hidden.status, hidden.body.code]).toEqual([409, 'idempotency_mismatch']);
});

test("another operation's same key is another key", async () => {
  const key = newKey();
  await add(key);
  const user = await app.api('POST', '/v2/user', { client_user_id: key }, { headers: { 'x-idempotency-key': key } });
  expect(user.status).toBe(200);
  expect((await stored(key)).map((row) => row.operation).sort()).toEqual(['create_insurance', 'create_user']);
});

test('every POST that creates a record accepts a key', async () => {
  const headers = { 'x-idempotency-key': newKey() };
  const user = { client_user_id: 'made-once' };
  const payor = { name: 'Made Once', address: person.address };
  for (const [target, body] of [
    ['/v2/user', user],
    ['/v3/payor', payor],
  ] as const) {
    const first = await app.api('POST', target, body, { headers });
    const second = await app.api('POST', target, body, { headers });
    expect([second.status, second.body]).toEqual([200, first.body]);
  }
});

test('a POST that only reads runs again with the same key, and nothing of it is stored', async () => {
  const key = newKey();
  const ask = (codes: string[]) =>
    app.api('POST', '/v3/insurance/validate_icd_codes', { codes }, { headers: { 'x-idempotency-key': key } });
  expect([(await ask(['E11.9'])).status, (await ask(['Z00.00'])).status]).toEqual([200, 200]);
  expect(await stored(key)).toEqual([]);
});

test('a key of 255 characters is accepted', async () => {
  const key = newKey().padEnd(255, 'k');
  expect(
    await added(async () => {
      await add(key);
      await add(key);
    }),
  ).toBe(1);
});

test('after 24 hours a key is free again', async () => {
  const key = newKey();
  await add(key);
  const age = (text: string) =>
    app.db
      .updateTable('idempotency_keys')
      .set({ created_at: sql<string>`now() - ${text}::interval` })
      .where('key', '=', key)
      .execute();
  await age('23 hours 59 minutes');
  expect((await add(key, { ...insurance, member_id: 'M2' })).status).toBe(409);
  await age('24 hours 1 second');
  expect((await add(key, { ...insurance, member_id: 'M2' })).body.member_id).toBe('M2');
  expect((await add(key)).status).toBe(409);
});

test('the name of a lock is hashed so that nobody can compute a colliding key', async () => {
  const key = newKey();
  const holder = new pg.Client({ connectionString: app.databaseUrl });
  await holder.connect();
  try {
    // PostgreSQL's hash is made for tables: anybody can compute a text with a given hash.
    await holder.query('select pg_advisory_lock(hashtextextended($1, 0))', [`${app.team.id} create_insurance ${key}`]);
    expect((await add(key)).status).toBe(200);
  } finally {
    await holder.end();
  }
});

test('while a request with a key runs, another one is 409 and does not disturb the first', async () => {
  const key = newKey();
  const records = await added(async () => {
    const { first, second } = await app.db.transaction().execute(async (tx) => {
      // The first request stops at the foreign key to this row, with its transaction open.
      await tx.selectFrom('users').select('id').where('id', '=', userId).forUpdate().execute();
      const first = add(key);
      await untilBlocked(app.db);
      // If the second were let in, it would stop at the same row, and this test would time out.
      const second = await add(key);
      return { first, second };
    });
    expect([second.status, second.body.code]).toEqual([409, 'idempotency_in_flight']);
    expect((await first).status).toBe(200);
    expect((await add(key)).body).toEqual((await first).body);
  });
  expect(records).toBe(1);
}, 10_000);

test('of many parallel requests with one key, exactly one adds a record', async () => {
  const asked = 20 * 8;
  const responses: Answer<Body>[] = [];
  const records = await added(async () => {
    for (let round = 0; round < 20; round += 1) {
      const key = newKey();
      responses.push(...(await Promise.all(Array.from({ length: 8 }, () => add(key)))));
    }
  });
  expect(records).toBe(20);
  expect(responses.filter(({ status, body }) => status === 200 || body.code === 'idempotency_in_flight')).toHaveLength(
    asked,
  );
});

test('only a lock holds a key, and it ends with its connection', async () => {
  const key = newKey();
  const response = await app.db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${lockNumberOf(`${app.team.id} create_insurance ${key}`)}::bigint)`.execute(
      tx,
    );
    return add(key);
  });
  expect([response.status, response.body.code]).toEqual([409, 'idempotency_in_flight']);
  expect((await add(key)).status).toBe(200);
});

test('the same fields in another order are the same request', async () => {
  const create = (body: object) =>
    app.api<{ user_id: string }>('POST', '/v2/user', body, { headers: { 'x-idempotency-key': 'key-order' } });
  const first = await create({ client_user_id: 'ordered', fallback_time_zone: 'America/Phoenix' });
  const again = await create({ fallback_time_zone: 'America/Phoenix', client_user_id: 'ordered' });
  expect([first.status, again.status, again.body.user_id]).toEqual([200, 200, first.body.user_id]);
});

test('an unknown value of X-Idempotency-Error is refused', async () => {
  const response = await app.api<{ detail: { loc: string[] }[] }>(
    'POST',
    '/v2/user',
    { client_user_id: 'zzz' },
    { headers: { 'x-idempotency-error': 'zzz' } },
  );
  expect([response.status, response.body.detail[0]?.loc]).toEqual([422, ['header', 'x-idempotency-error']]);
});
