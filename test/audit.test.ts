// Calls every operation: each writes exactly its line to the audit log, and none succeeds whose line cannot be written.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveApi } from '../src/api.ts';
import { exportAudit } from '../src/audit/export-audit.ts';
import { AuditWriter } from '../src/audit/writer.ts';
import { operations } from '../src/operations.ts';
import { openDatabase } from '../src/db/open-database.ts';
import { openMetrics } from '../src/metrics.ts';
import { openLog } from '../src/log.ts';
import { createTeamKey } from '../src/tenancy/keys/create-team-key.ts';
import { startTestApp, type TestApp } from './test-app.ts';
import { makeUser, orderKit, readOrder } from './factories.ts';
import { person } from './people.ts';

let app: TestApp;
let owner: pg.Client;
beforeAll(async () => {
  app = await startTestApp();
  owner = new pg.Client({ connectionString: app.databaseUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await app.close();
});

type Line = {
  action: string;
  actor: string;
  status: number;
  org_id: string;
  team_id: string | null;
  key_id: string;
  records: string[];
  request_id: string;
  address: string;
};

/** The audit lines of a request. */
async function linesOf(requestId: string): Promise<Line[]> {
  await app.flushAudit();
  const { rows } = await owner.query<Line>('select * from audit_log where request_id = $1', [requestId]);
  return rows;
}
const requestIdOf = ({ headers }: { headers: Headers }): string => headers.get('x-request-id') ?? '';
const keyIdOf = async (start: string): Promise<string> =>
  (
    await owner.query<{ id: string }>(
      `select id from team_api_keys where key_start = $1 union all select id from management_keys where key_start = $1`,
      [start.slice(0, 12)],
    )
  ).rows[0]?.id as string;

describe('every operation with a key', () => {
  test('writes exactly its line, whatever it answers', async () => {
    const fixed: Record<string, string> = {
      env: 'sandbox',
      environment: 'sandbox',
      region: 'us',
      org_id: app.team.org_id,
    };
    const keys = {
      team_key: await keyIdOf(app.team.api_key),
      team_key_or_user_token: await keyIdOf(app.team.api_key),
      link_token: await keyIdOf(app.team.api_key),
      management_key: await keyIdOf(app.team.management_key),
      session: await keyIdOf(app.team.api_key),
      signature: null,
      org_signature: null,
      none: null,
    };
    for (const operation of operations) {
      const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => fixed[name] ?? randomUUID());
      const response = await app.api(operation.method, path, operation.body ? {} : undefined);
      const lines = await linesOf(requestIdOf(response));
      expect([
        operation.id,
        ...lines.map(({ action, status, key_id, address }) => [action, status, key_id, address]),
      ]).toEqual([
        operation.id,
        ...(keys[operation.auth] === null ? [] : [[operation.id, response.status, keys[operation.auth], '127.0.0.1']]),
      ]);
    }
  });

  test('writes the ids of the records that it wrote and read, and no value besides', async () => {
    const { team } = app;
    const made = await team.api<{ user_id: string }>('POST', '/v2/user', { client_user_id: randomUUID() });
    const { user_id } = made.body;
    expect(await linesOf(requestIdOf(made))).toMatchObject([
      {
        action: 'create_user',
        actor: 'team_key',
        status: 200,
        org_id: team.org_id,
        team_id: team.id,
        records: [user_id],
      },
    ]);
    const info = await team.api('PATCH', `/v2/user/${user_id}/info`, person);
    expect((await linesOf(requestIdOf(info)))[0]?.records).toEqual([user_id]);
    const order = await orderKit(team, user_id);
    const read = await team.api('GET', `/v3/order/${order.id}`);
    const [line] = await linesOf(requestIdOf(read));
    expect(line).toMatchObject({ action: 'get_order', status: 200 });
    expect(line?.records).toEqual(expect.arrayContaining([order.id, user_id]));
    const list = await team.api(`GET`, `/v3/orders?user_id=${user_id}`);
    expect((await linesOf(requestIdOf(list)))[0]?.records).toEqual(expect.arrayContaining([order.id, user_id]));
    const { rows } = await owner.query<{ text: string }>(
      'select string_agg(a::text, chr(10)) as text from audit_log a',
    );
    for (const value of [person.last_name, person.email, person.dob]) expect(rows[0]?.text).not.toContain(value);
  });

  test('writes at most as many ids as the longest page has', async () => {
    const { team } = app;
    for (let n = 0; n < 3; n += 1) await makeUser(team);
    const list = await team.api<{ users: { user_id: string }[] }>('GET', '/v2/user?limit=500');
    const [line] = await linesOf(requestIdOf(list));
    expect(line?.records).toEqual(list.body.users.map(({ user_id }) => user_id));
  });

  test("never writes a customer's own reference, even one that looks like an id", async () => {
    const reference = randomUUID();
    const made = await app.api('POST', '/v2/user', { client_user_id: reference });
    const resolved = await app.api('GET', `/v2/user/resolve/${reference}`);
    for (const response of [made, resolved]) {
      expect(JSON.stringify(await linesOf(requestIdOf(response)))).not.toContain(reference);
    }
  });
});

test('the lines of a client whose address has a zone have the address without the zone', async () => {
  const { server, audit } = serveApi(app.ctx, openMetrics());
  const ask = (method: 'GET' | 'POST', payload?: object) =>
    server.inject({
      method,
      url: '/v2/user',
      headers: { 'x-service-api-key': app.team.api_key },
      remoteAddress: 'fe80::1%eth0',
      ...(payload && { payload }),
    });
  const responses = [await ask('GET'), await ask('POST', { client_user_id: randomUUID() })];
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  await audit.flush();
  for (const { headers } of responses)
    expect(await linesOf(String(headers['x-request-id']))).toMatchObject([{ address: 'fe80::1' }]);
  await server.close();
});

describe('a refused request', () => {
  test('writes its line, also for a revoked key, and none for an unknown key', async () => {
    const key = await createTeamKey(app.ctx, { team_id: app.team.id, label: 'gone' });
    await owner.query('update team_api_keys set revoked_at = now() where id = $1', [key.id]);
    const [unknownUser, revoked, unknown, wrongKind] = [
      await app.api('GET', `/v2/user/${randomUUID()}`),
      await app.api('GET', '/v2/user', undefined, { key: key.value }),
      await app.api('GET', '/v2/user', undefined, { key: 'nonsense' }),
      await app.api('GET', '/v2/user', undefined, { key: app.team.management_key }),
    ];
    expect(await linesOf(requestIdOf(unknownUser))).toMatchObject([{ action: 'get_user', status: 404 }]);
    expect(await linesOf(requestIdOf(revoked))).toMatchObject([{ action: 'list_users', status: 401, key_id: key.id }]);
    expect(await linesOf(requestIdOf(unknown))).toEqual([]);
    expect(await linesOf(requestIdOf(wrongKind))).toMatchObject([{ status: 401, actor: 'management_key' }]);
  });

  test('writes a line for each repetition with an idempotency key', async () => {
    const user = await makeUser(app.team);
    const again = () =>
      app.api(
        'POST',
        '/v2/user',
        { client_user_id: user.client_user_id },
        { headers: { 'x-idempotency-key': 'kept' } },
      );
    for (const response of [await again(), await again()]) {
      expect(await linesOf(requestIdOf(response))).toMatchObject([{ action: 'create_user', status: 400 }]);
    }
  });
});

test('a write whose line cannot be written is not done', async () => {
  const user = await makeUser(app.team);
  const order = await orderKit(app.team, user.user_id);
  await owner.query(`alter table audit_log add constraint broken check (action is null) not valid`);
  try {
    const responses = [
      await app.api('POST', '/v2/user', { client_user_id: 'never-made' }),
      await app.api(
        'POST',
        '/v2/user',
        { client_user_id: 'never-made' },
        { headers: { 'x-idempotency-key': 'never' } },
      ),
      await app.api('PATCH', `/v2/user/${user.user_id}`, { fallback_time_zone: 'America/Phoenix' }),
      await app.api('DELETE', `/v2/user/${user.user_id}`),
      await app.api('POST', `/v3/order/${order.id}/cancel`),
    ];
    expect(responses.map(({ status }) => status)).toEqual([500, 500, 500, 500, 500]);
  } finally {
    await owner.query('alter table audit_log drop constraint broken');
  }
  expect((await app.api('GET', '/v2/user/resolve/never-made')).status).toBe(404);
  expect((await app.api('GET', `/v2/user/${user.user_id}`)).body).toMatchObject({ fallback_time_zone: null });
  expect((await readOrder(app.team, order.id)).last_event.status).not.toContain('cancelled');
  const { rows } = await owner.query('select 1 from idempotency_keys where key = $1', ['never']);
  expect(rows).toEqual([]);
});

describe('the writer', () => {
  const entry = (action: string) => ({
    org_id: null,
    team_id: null,
    key_id: null,
    person_id: null,
    actor: 'test',
    action,
    status: 200,
    records: [randomUUID(), randomUUID()],
    request_id: randomUUID(),
    address: '::1',
  });

  test('keeps lines in memory while the database is away, and writes them later', async () => {
    const database = openDatabase({ url: app.databaseUrl, poolSize: 1, role: 'phial_app', log: app.ctx.log });
    const writer = new AuditWriter({ ...app.ctx, db: database.db });
    await owner.query(`alter table audit_log add constraint broken check (actor <> 'test') not valid`);
    for (let n = 0; n < 3; n += 1) writer.add(entry('kept back'));
    await writer.flush();
    const count = async (): Promise<number> =>
      (await owner.query(`select 1 from audit_log where action = 'kept back'`)).rows.length;
    expect(await count()).toBe(0);
    await owner.query('alter table audit_log drop constraint broken');
    await writer.flush();
    expect(await count()).toBe(3);
    await database.close();
  });

  test('drops a line that the database refuses, logs that without its content, and writes all others', async () => {
    const logLines: string[] = [];
    const log = openLog('info', { write: (line) => logLines.push(line) });
    const writer = new AuditWriter({ ...app.ctx, log });
    writer.add(entry('beside a refused one'));
    writer.add({ ...entry('refused'), address: 'fe80::1%eth0' });
    writer.add(entry('beside a refused one'));
    await writer.flush();
    const { rows } = await owner.query(`select 1 from audit_log where action = 'beside a refused one'`);
    expect(rows).toHaveLength(2);
    expect(logLines).toHaveLength(1);
    expect(JSON.parse(logLines[0] as string)).toMatchObject({ level: 50, action: 'refused' });
    expect(logLines[0]).not.toContain('fe80');
  });

  test('has written everything when the service has stopped', async () => {
    const other = await startTestApp({}, { databaseUrl: app.databaseUrl });
    const response = await other.api('GET', '/v2/user/metrics');
    await other.close();
    const { rows } = await owner.query('select 1 from audit_log where request_id = $1', [requestIdOf(response)]);
    expect(rows).toHaveLength(1);
  });
});

describe('the export', () => {
  const today = new Date().toISOString().slice(0, 10);
  const linesOfExport = async (selection: object): Promise<Record<string, unknown>[]> => {
    let text = '';
    for await (const part of exportAudit(app.databaseUrl, { from: today, to: tomorrow, ...selection })) text += part;
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);

  test('has a line of JSON for each entry, of all or of one organisation or team, in the order of time', async () => {
    const other = await app.makeTeam('Mesa Labs');
    const response = await other.api('GET', '/v2/user');
    await app.flushAudit();
    const all = await linesOfExport({});
    const { rows } = await owner.query<{ id: string }>('select id from audit_log order by id');
    expect(all.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    const expected = {
      id: expect.any(String),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      org_id: other.org_id,
      team_id: other.id,
      key_id: await keyIdOf(other.api_key),
      actor: 'team_key',
      action: 'list_users',
      status: 200,
      records: [],
      request_id: requestIdOf(response),
      person_id: null,
      address: '127.0.0.1',
    };
    expect(await linesOfExport({ team: other.id })).toEqual([expected]);
    expect(await linesOfExport({ org: other.org_id })).toEqual([expected]);
    expect(await linesOfExport({ from: '2020-01-01', to: '2020-12-31' })).toEqual([]);
  });

  test('is read a thousand lines at a time', async () => {
    const writer = new AuditWriter(app.ctx);
    const line = {
      org_id: null,
      key_id: null,
      person_id: null,
      actor: 'test',
      action: 'many',
      status: 200,
      records: [],
    };
    const team = randomUUID();
    for (let n = 0; n < 2_500; n += 1) writer.add({ ...line, team_id: team, request_id: null, address: null });
    await writer.flush();
    const sizes: number[] = [];
    for await (const part of exportAudit(app.databaseUrl, { from: today, to: tomorrow, team }))
      sizes.push(part.split('\n').length - 1);
    expect(sizes).toEqual([1000, 1000, 500]);
  });
});

describe('the log', () => {
  test('can be read and extended by the service, which can neither change nor empty it, in any partition', async () => {
    const { rows } = await owner.query<{ name: string }>(
      `select 'audit_log' as name union select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'audit_log'::regclass`,
    );
    expect(rows.length).toBeGreaterThan(3);
    for (const { name } of rows) {
      for (const change of [
        sql`update ${sql.table(name)} set action = 'x'`,
        sql`delete from ${sql.table(name)}`,
        sql`truncate ${sql.table(name)}`,
        sql`drop table ${sql.table(name)}`,
      ]) {
        await expect(change.execute(app.db)).rejects.toMatchObject({ code: '42501' });
      }
    }
    await expect(sql`select drop_audit_before('2020-01-01')`.execute(app.db)).rejects.toMatchObject({ code: '42501' });
  });

  test('is partitioned by months, and the owner drops whole months', async () => {
    await sql`select ensure_audit_partitions('2019-11-15', '2020-01-01')`.execute(app.db);
    const months = async (): Promise<string[]> =>
      (
        await owner.query<{ name: string }>(
          `select relname as name from pg_class where relname ~ '^audit_log_(2019|2020)\\d\\d$' order by 1`,
        )
      ).rows.map(({ name }) => name);
    expect(await months()).toEqual(['audit_log_201911', 'audit_log_201912', 'audit_log_202001']);
    await owner.query(`select drop_audit_before('2019-12-31')`);
    expect(await months()).toEqual(['audit_log_201912', 'audit_log_202001']);
    await owner.query(`select drop_audit_before('2020-02-01')`);
    expect(await months()).toEqual([]);
  });
});
