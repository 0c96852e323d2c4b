import { afterAll, beforeAll, expect, test } from 'vitest';
import pg from 'pg';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { makeUser, registeredKit, simulate } from '../../test/factories.ts';
import { person } from '../../test/people.ts';
import { untilBlocked } from '../../test/until-blocked.ts';
import { parseConfig } from '../config/options.ts';
import { claimCipher } from './claim-cipher.ts';
import { SEALED_COLUMNS } from './sealed-columns.ts';
import { rotateKeys } from './rotate.ts';

const second = `2:${Buffer.alloc(32, 2).toString('base64')}`;

/**
 * `app` is the service with the encryption key that the sandbox generated. `renewed` is the same service with a second
 * key, with which it seals.
 */
let app: TestApp;
let renewed: TestApp;
let userId: string;
beforeAll(async () => {
  app = await startTestApp();
  ({ user_id: userId } = await makeUser(app.team));
  await app.api('PATCH', `/v2/user/${userId}`, { fallback_birth_date: '1990-01-01' });
  await app.api('PATCH', `/v2/user/${userId}/info`, person);
  for (let n = 0; n < 5; n++) {
    await app.api(
      'POST',
      `/v2/user/${userId}/insurance`,
      { payor_code: 'SBX00001', member_id: `M-${n}`, relationship: 'Self', insured: person },
      { headers: { 'x-idempotency-key': `key-${n}` } },
    );
  }
  await simulate(app.team, (await registeredKit(app.team)).id, '');
  renewed = await startTestApp({ PHIAL_ENCRYPTION_KEYS: second }, { databaseUrl: app.databaseUrl });
});
afterAll(async () => {
  await renewed.close();
  await app.close();
});

const rotate = (batch = 2) =>
  rotateKeys({ ownerUrl: app.databaseUrl, cipher: renewed.ctx.cipher, report: () => undefined, batch });

/** The key versions of the values in each sealed column. */
async function versions(): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: app.databaseUrl });
  await client.connect();
  try {
    const found: Record<string, string> = {};
    const { rows: binary } = await client.query<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns
        where table_schema = 'public' and data_type = 'bytea'`,
    );
    for (const columnName of binary.map((row) => row.name).filter((column) => column in SEALED_COLUMNS)) {
      const [table, column] = columnName.split('.') as [string, string];
      const { rows } = await client.query<{ versions: string | null }>(
        `select string_agg(distinct get_byte(${column}, 0)::text, ',') as versions from ${table}`,
      );
      if (rows[0]?.versions) found[columnName] = rows[0].versions;
    }
    return found;
  } finally {
    await client.end();
  }
}

const start = (keys: string) => {
  const { config, secrets } = parseConfig({ PHIAL_ENCRYPTION_KEYS: keys });
  return claimCipher(app.db, config, secrets);
};

test('a concurrent write of a value that is being sealed again is not lost', async () => {
  const newer = { ...person, city: 'Tucson', first_name: 'Newer' };
  const row = { team_id: app.team.id, id: userId };
  const rotation = await app.db.transaction().execute(async (db) => {
    await db
      .updateTable('user_info')
      .set({ info: renewed.ctx.cipher.sealJson('user_info.info', row, newer) })
      .where('user_id', '=', userId)
      .execute();
    const rotation = rotate();
    await untilBlocked(app.db);
    return { rotation };
  });
  await rotation.rotation;
  const { info } = await app.db
    .selectFrom('user_info')
    .select('info')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  expect(renewed.ctx.cipher.openJson('user_info.info', row, info)).toEqual(newer);
});

test('all values are under the newest key while requests write, and the old key is no longer needed', async () => {
  const third = `3:${Buffer.alloc(32, 3).toString('base64')}`;
  const before = await versions();
  expect(Object.keys(before)).toEqual(expect.arrayContaining(['user_info.info', 'insurances.details']));
  const newest = await startTestApp({ PHIAL_ENCRYPTION_KEYS: `${third},${second}` }, { databaseUrl: app.databaseUrl });
  try {
    const write = (n: number) =>
      newest.api(
        'PATCH',
        `/v2/user/${userId}/info`,
        { ...person, email: `number-${n}@example.com` },
        { key: app.team.api_key },
      );
    let over = false;
    const rotation = rotateKeys({
      ownerUrl: app.databaseUrl,
      cipher: newest.ctx.cipher,
      report: () => undefined,
      batch: 1,
    }).finally(() => {
      over = true;
    });
    let written = 0;
    do expect((await write(++written)).status).toBe(200);
    while (!over);
    await rotation;
    const { body } = await newest.api<{ email: string }>('GET', `/v2/user/${userId}/info/latest`, undefined, {
      key: app.team.api_key,
    });
    expect(body.email).toBe(`number-${written}@example.com`);
  } finally {
    await newest.close();
  }
  expect(await versions()).toEqual(Object.fromEntries(Object.keys(before).map((column) => [column, '3'])));
  expect((await start(third)).sealing).toBe(3);
  await expect(start(second)).rejects.toThrow(/version 3/);
});

test('values that were sealed again open with the same content', async () => {
  const latest = await startTestApp(
    { PHIAL_ENCRYPTION_KEYS: `3:${Buffer.alloc(32, 3).toString('base64')}` },
    { databaseUrl: app.databaseUrl },
  );
  try {
    const read = <T>(path: string) => latest.api<T>('GET', path, undefined, { key: app.team.api_key });
    expect((await read<{ fallback_birth_date: { value: string } }>(`/v2/user/${userId}`)).body).toMatchObject({
      fallback_birth_date: { value: '1990-01-01' },
    });
    expect((await read<{ member_id: string }>(`/v2/user/${userId}/insurance/latest`)).body.member_id).toBe('M-4');
  } finally {
    await latest.close();
  }
});
