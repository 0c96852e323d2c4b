import { randomUUID } from 'node:crypto';
import { sql, type KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { apiOf, startTestApp, type Team, type TestApp } from '../../test/test-app.ts';
import { makeUser, orderKit } from '../../test/factories.ts';
import { fill } from '../../test/fill-tables.ts';
import { query } from '../../test/global-setup.ts';
import { person } from '../../test/people.ts';
import { teamCtx } from '../../test/team-ctx.ts';
import { BatchScheduler } from '../batch-scheduler.ts';
import { ANSWERS } from '../openapi-texts/answers.ts';
import { exportedRows } from '../privacy/export-rows.ts';
import { createManagementKey } from '../tenancy/keys/create-management-key.ts';
import { createTeam } from '../tenancy/teams/create.ts';
import { EXPORTS, exportTeam } from './export-team.ts';
import { beginExport } from './export-lease.ts';

/** The reasons why answers were cut off, from the log. */
const cutsSince = (lines: number): unknown[] =>
  log
    .slice(lines)
    .map((line) => JSON.parse(line) as { msg: string; reason?: string; operation?: string })
    .filter(({ msg }) => msg === 'a response was cut off before its end')
    .map(({ reason, operation }) => [operation, reason]);

type Line = { type: string; user_id: string | null; data: Record<string, unknown> };

let app: TestApp;
let team: Team;
const log: string[] = [];
beforeAll(async () => {
  app = await startTestApp({ PHIAL_LOG_LEVEL: 'warn' }, { logTo: (line) => log.push(line) });
  ({ team } = app);
  await fill(app, team);
});
afterAll(() => app.close());

const path = (of: Team = team): string => `/v1/org/${of.org_id}/team/${of.id}/sandbox/export`;
async function exported(of: Team = team, query = ''): Promise<Line[]> {
  const { status, body } = await of.api<string>('GET', path(of) + query);
  expect(status).toBe(200);
  return body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}
const typesOf = (lines: Line[]): string[] => [...new Set(lines.map(({ type }) => type))].toSorted();
const declared = EXPORTS.flatMap(({ ofTeam = [], ofUser = [] }) => [...ofTeam, ...ofUser]);

test('it has lines of every kind, opened and readable, each under its user, and ends with their number', async () => {
  const lines = await exported();
  expect(typesOf(lines)).toEqual([...declared.map(({ type }) => type), 'user', 'end'].toSorted());
  expect(lines.at(-1)).toEqual({
    type: 'end',
    user_id: null,
    data: { lines: lines.length - 1, users: lines.filter(({ type }) => type === 'user').length },
  });
  const text = JSON.stringify(lines);
  for (const value of [person.last_name, person.email, person.dob, 'Two eggs', 'They are away', 'XYZ123456789'])
    expect(text).toContain(value);
  // The test wrote these values unsealed. They stand for damaged values.
  expect(typesOf(lines.filter(({ data }) => 'unreadable' in data))).toEqual(['order_signature']);
  let user: string | null = null;
  for (const { type, user_id } of lines.slice(0, -1)) {
    if (type === 'user') user = user_id;
    expect(user_id).toBe(user);
  }
});

test('data with a shape in the interface has that shape in the export', async () => {
  const lines = await exported();
  const of = (type: string): Line[] => lines.filter((line) => line.type === type);
  const orders = of('order').map(({ data }) => data);
  for (const shown of orders.slice(0, 3)) {
    const response = await team.api<Record<string, unknown>>('GET', `/v3/order/${String(shown['id'])}`);
    if (response.status === 404) continue;
    expect(shown).toMatchObject({ ...response.body, requisition_form_url: null });
  }
  const note = of('sample').find(({ data }) => data['value'] === 'Two eggs') as Line;
  const read = await team.api<{ groups: { manual: { data: object[] }[] } }>(
    'GET',
    `/v2/timeseries/${note.user_id}/note/grouped?start_date=2026-01-01&end_date=2026-12-31`,
  );
  expect(note.data).toMatchObject(read.body.groups.manual[0]?.data[0] as object);
  const workout = of('summary').find(({ data }) => data['resource'] === 'workouts') as Line;
  expect(workout.data).toMatchObject({ id: expect.any(String), sport: expect.any(Object), source: expect.any(Object) });
  expect(of('team')[0]?.data).toMatchObject({ id: team.id, org_id: team.org_id });
});

test('its example in the document equals the line of a user', async () => {
  const [line] = (await exported()).filter(({ type }) => type === 'user') as [Line];
  const shown = ANSWERS['export_team'] as Line;
  expect(Object.keys(shown)).toEqual(Object.keys(line));
  expect(Object.keys(shown.data).toSorted(), 'ANSWERS of src/openapi-texts/answers.ts').toEqual(
    Object.keys(line.data).toSorted(),
  );
  const kind = (value: unknown): string => (value === null ? 'null' : typeof value);
  for (const [name, value] of Object.entries(shown.data))
    expect([name, kind(line.data[name])]).toEqual([name, expect.toBeOneOf([kind(value), 'null'])]);
});

test('it has no key, secret, token or hash', async () => {
  const text = JSON.stringify(await exported());
  const { rows } = await sql<{ hash: string }>`
    select encode(key_hash, 'hex') as hash from team_api_keys where team_id = ${team.id}
     union all select encode(secret, 'hex') from webhook_secrets where team_id = ${team.id}`.execute(app.db);
  expect(rows.length).toBeGreaterThan(1);
  for (const { hash } of rows) {
    expect(text).not.toContain(hash);
    expect(text).not.toContain(Buffer.from(hash, 'hex').toString('base64'));
  }
  expect(text.includes(team.api_key)).toBe(false);
  expect(/.{60}(whsec_|"tokens"|_hash\\?"|"headers"|\/documents\/requisition\/)/.exec(text)?.[0]).toBeUndefined();
});

test("it has no data of another team, and another team's key cannot start it", async () => {
  const other = await app.makeTeam('Mesa Labs');
  const { user_id } = await makeUser(other);
  await orderKit(other, user_id);
  expect(JSON.stringify(await exported())).not.toContain(user_id);
  const theirs = await exported(other);
  expect(theirs.filter(({ type }) => type === 'user').map((line) => line.user_id)).toEqual([user_id]);
  expect((await other.api('GET', path())).status).toBe(404);
});

test('it continues after a user without the data of the team itself', async () => {
  const lines = await exported();
  const users = lines.filter(({ type }) => type === 'user').map(({ user_id }) => user_id as string);
  const rest = await exported(team, `?after=${users[0]}`);
  expect(rest.slice(0, -1)).toEqual(
    lines.slice(
      lines.findIndex(({ user_id }) => user_id === users[1]),
      -1,
    ),
  );
  expect(typesOf(await exported(team, `?after=${users.at(-1)}`))).toEqual(['end']);
});

test('it has each row once of a user with more rows than a page', async () => {
  const other = await app.makeTeam();
  const { user_id } = await makeUser(other);
  const samples = Array.from({ length: 1_203 }, (_, n) => ({
    resource: 'heartrate',
    provider: 'manual',
    timestamp: new Date(Date.UTC(2026, 0, 5) + n * 1000).toISOString(),
    unit: 'bpm',
    value: 60 + (n % 40),
  }));
  await other.api('POST', `/v2/timeseries/${user_id}/samples`, samples);
  for (let n = 0; n < 103; n += 1) await orderKit(other, user_id);
  const lines = await exported(other);
  const moments = lines.filter(({ type }) => type === 'sample').map(({ data }) => data['timestamp']);
  expect([moments.length, new Set(moments).size]).toEqual([1_203, 1_203]);
  const orders = lines.filter(({ type }) => type === 'order').map(({ data }) => data['id']);
  expect([orders.length, new Set(orders).size]).toEqual([103, 103]);
});

/** So many users that their export still runs some requests later. */
const manyUsers = async (of: Team, users = 6_000): Promise<void> => {
  await sql`insert into users (id, team_id, client_user_id)
    select gen_random_uuid(), ${of.id}, repeat('x', 200) || n
      from generate_series(1, ${users}::integer) as n`.execute(app.db);
};

test('a team has one at a time; an abandoned one ends, and a slow reader holds no connection', async () => {
  const other = await app.makeTeam();
  await manyUsers(other);
  const controller = new AbortController();
  const slow = await fetch(app.baseUrl + path(other), {
    headers: { 'x-management-key': other.management_key },
    signal: controller.signal,
  });
  const reader = slow.body?.getReader();
  await reader?.read();
  const second = await other.api<{ code: string }>('GET', path(other));
  expect([second.status, second.body.code]).toEqual([409, 'export_running']);
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`.execute(
    app.db,
  );
  expect(rows).toEqual([]);
  controller.abort();
  await vi.waitFor(async () => {
    const left = await app.db.selectFrom('team_exports').selectAll().where('team_id', '=', other.id).execute();
    expect(left).toEqual([]);
  }, 5_000);
  const last = (await exported(other, await beforeLast(other, 1_000))).at(-1);
  expect(last?.data).toMatchObject({ users: 1_000 });
});

/** The query of an export of the last users only. It has several pages, like one of all users. */
async function beforeLast(of: Team, users: number): Promise<string> {
  const { id } = await app.db
    .selectFrom('users')
    .select('id')
    .where('team_id', '=', of.id)
    .orderBy('id', 'desc')
    .offset(users)
    .executeTakeFirstOrThrow();
  return `?after=${id}`;
}

test('an organisation has two at a time in a process, and another one can start its own', async () => {
  const loud = await app.makeTeam();
  const teams = [loud];
  for (const name of ['second', 'third'])
    teams.push({ ...loud, id: (await createTeam(app.ctx, { org_id: loud.org_id, name })).id });
  for (const each of teams) await manyUsers(each);
  const ends: (() => void)[] = [];
  const begin = async (of: Team): Promise<Response> => {
    const controller = new AbortController();
    const response = await fetch(app.baseUrl + path(of), {
      headers: { 'x-management-key': of.management_key },
      signal: controller.signal,
    });
    if (response.ok) ends.push(() => controller.abort());
    return response;
  };
  const [first, second, third] = teams as [Team, Team, Team];
  expect([(await begin(first)).status, (await begin(second)).status]).toEqual([200, 200]);
  const refused = await begin(third);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
  expect(await refused.json()).toMatchObject({ code: 'not_ready' });
  expect((await exported(await app.makeTeam())).at(-1)?.type).toBe('end');
  ends[0]?.();
  await expect.poll(async () => (await begin(third)).status).toBe(200);
  for (const end of ends) end();
});

test('a page of large rows is cut by bytes, and has each row once', async () => {
  const other = await app.makeTeam();
  const { user_id } = await makeUser(other);
  const insurance = randomUUID();
  await sql`insert into insurances (user_id, id, team_id, payor_code, relationship, is_primary, details, company)
    values (${user_id}, ${insurance}, ${other.id}, 'P', 'self', true, '\\x00', '{}')`.execute(app.db);
  await sql`insert into insurance_documents (user_id, insurance_id, id, team_id, kind, content)
    select ${user_id}, ${insurance}, gen_random_uuid(), ${other.id}, 'front_image',
           set_byte(convert_to(repeat('x', 300000), 'utf8'), 0, 1)
      from generate_series(1, 23)`.execute(app.db);
  const pages: number[] = [];
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      pages.push(result.rows.length);
      return result;
    },
  };
  const ctx = await teamCtx(app.ctx, other.id);
  const db = ctx.db.withPlugin(counting) as typeof ctx.db;
  const table = { type: 'x', table: 'insurance_documents', key: ['insurance_id', 'id'] } as const;
  const ids = new Set<unknown>();
  for await (const row of exportedRows({ ...ctx, db }, table, { id: user_id })) ids.add(row['id']);
  // Seven rows are 2 MiB.
  expect(pages).toEqual([7, 7, 7, 2]);
  expect(ids.size).toBe(23);
});

test('it is read in round robin with other batches', async () => {
  const [first, second] = [await app.makeTeam(), await app.makeTeam()];
  await makeUser(second);
  // One connection gives one permit.
  const batches = new BatchScheduler(1);
  const ctx = { ...(await teamCtx(app.ctx, first.id)), batches };
  let end = (): void => {};
  const batch = batches.run({ org: 'another', team: 'another' }, () => new Promise<void>((resolve) => (end = resolve)));
  const order: string[] = [];
  const line = exportTeam(ctx, await beginExport(ctx), { after: null })
    .next()
    .then(() => order.push('line'));
  for (let n = 0; n < 3; n += 1) await exported(second);
  order.push('batch');
  end();
  await Promise.all([batch, line]);
  expect(order).toEqual(['batch', 'line']);
});

test('a HEAD request starts no export and records none', async () => {
  const other = await app.makeTeam();
  const head = await fetch(app.baseUrl + path(other), {
    method: 'HEAD',
    headers: { 'x-management-key': other.management_key },
  });
  expect([head.status, head.headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
  expect(await app.db.selectFrom('team_exports').selectAll().where('team_id', '=', other.id).execute()).toEqual([]);
  const begun = await sql`
    select from audit_log where team_id = ${other.id} and action = 'team.export_began'`.execute(app.db);
  expect(begun.rows).toEqual([]);
});

test('it ends without the last line when the team is deleted meanwhile', async () => {
  const other = await app.makeTeam();
  await manyUsers(other);
  const cut = await fetch(app.baseUrl + path(other), { headers: { 'x-management-key': other.management_key } });
  const reader = cut.body?.getReader();
  await reader?.read();
  const before = log.length;
  await other.api('DELETE', `/v1/org/${other.org_id}/team/${other.id}`);
  const rest = async (): Promise<void> => {
    for (let read = await reader?.read(); read && !read.done;) read = await reader?.read();
  };
  await expect(rest()).rejects.toThrow();
  expect(cutsSince(before)).toEqual([['export_team', 'not_found']]);
});

test('it ends when its key is revoked or loses the team meanwhile', async () => {
  const other = await app.makeTeam();
  await manyUsers(other);
  const key = await createManagementKey(app.ctx, {
    org_id: other.org_id,
    label: 'bound',
    role: 'team_admin',
    team_ids: [other.id],
  });
  const cut = await fetch(app.baseUrl + path(other), { headers: { 'x-management-key': key.value } });
  const reader = cut.body?.getReader();
  await reader?.read();
  const before = log.length;
  await other.api('DELETE', `/v1/org/${other.org_id}/management_key/${key.id}`);
  const rest = async (): Promise<void> => {
    for (let read = await reader?.read(); read && !read.done;) read = await reader?.read();
  };
  await expect(rest()).rejects.toThrow();
  expect(cutsSince(before)).toEqual([['export_team', 'invalid_api_key']]);
});

test('it ends without the last line when its reader paused until another one began', async () => {
  const other = await app.makeTeam();
  // More than fits into the buffers of a connection.
  await manyUsers(other, 20_000);
  const begin = async (query = '') => {
    // Uncompressed: a compressed export would fit into the buffers of a connection whose reader pauses.
    const headers = { 'x-management-key': other.management_key, 'accept-encoding': 'identity' };
    const response = await fetch(app.baseUrl + path(other) + query, { headers });
    expect(response.status).toBe(200);
    const reader = response.body?.getReader();
    await reader?.read();
    return async (): Promise<void> => {
      for (let read = await reader?.read(); read && !read.done;) read = await reader?.read();
    };
  };
  const first = await begin();
  await sql`update team_exports set leased_until = now() - interval '1 second' where team_id = ${other.id}`.execute(
    app.db,
  );
  const second = await begin(await beforeLast(other, 1_000));
  const before = log.length;
  await expect(first()).rejects.toThrow();
  expect(cutsSince(before)).toEqual([['export_team', 'overtaken']]);
  await second();
});

test('a page that cannot be read is in the log', async () => {
  const other = await app.makeTeam();
  await manyUsers(other);
  const cut = await fetch(app.baseUrl + path(other), { headers: { 'x-management-key': other.management_key } });
  const reader = cut.body?.getReader();
  await reader?.read();
  const before = log.length;
  await query(app.databaseUrl, 'alter table users rename to users_away');
  const rest = async (): Promise<void> => {
    for (let read = await reader?.read(); read && !read.done;) read = await reader?.read();
  };
  await expect(rest()).rejects.toThrow();
  await query(app.databaseUrl, 'alter table users_away rename to users');
  expect(cutsSince(before)).toEqual([['export_team', 'unexpected_error']]);
});

test('a stopping process ends it without the last line, and another one can start', async () => {
  const other = await app.makeTeam();
  await makeUser(other);
  const stopping = new AbortController();
  const ctx = { ...(await teamCtx(app.ctx, other.id)), stopping: stopping.signal };
  const lines = exportTeam(ctx, await beginExport(ctx), { after: null });
  expect((await lines.next()).value).toMatchObject({ type: 'team' });
  stopping.abort();
  await expect(lines.next()).rejects.toMatchObject({ reason: 'stopping' });
  expect((await exported(other)).at(-1)?.type).toBe('end');
});

test('its start is in the audit log, also of one that was cut off', async () => {
  const other = await app.makeTeam();
  const begun = async () =>
    app.db
      .selectFrom('audit_log')
      .select(['action', 'org_id'])
      .where('team_id', '=', other.id)
      .where('action', '=', 'team.export_began')
      .execute();
  const ctx = await teamCtx(app.ctx, other.id);
  const lines = exportTeam(ctx, await beginExport(ctx), { after: null });
  expect((await lines.next()).value).toMatchObject({ type: 'team' });
  await lines.return(undefined);
  expect(await begun()).toEqual([{ action: 'team.export_began', org_id: other.org_id }]);
  await exported(other);
  expect(await begun()).toHaveLength(2);
});

test('a Team Management Key exports its own teams', async () => {
  const bound = await createManagementKey(app.ctx, {
    org_id: team.org_id,
    label: 'bound',
    role: 'team_admin',
    team_ids: [team.id],
  });
  const api = apiOf(app.baseUrl, team.api_key, bound.value);
  expect((await api('GET', path())).status).toBe(200);
  expect((await api('GET', path({ ...team, id: randomUUID() }))).status).toBe(404);
});

test('with user_id it has only the lines of that user, also of one who is scheduled for deletion', async () => {
  const mine = await app.makeTeam();
  const user = await makeUser(mine);
  await orderKit(mine, user.user_id);
  await orderKit(mine, (await makeUser(mine)).user_id);
  const all = await exported(mine);
  const ofUser = all.filter(({ user_id }) => user_id === user.user_id);
  const end = { type: 'end', user_id: null, data: { lines: ofUser.length, users: 1 } };
  expect(await exported(mine, `?user_id=${user.user_id}`)).toEqual([...ofUser, end]);
  await app.flushAudit();
  const audit = await query<{ records: string[] }>(
    app.databaseUrl,
    `select records from audit_log where action = 'team.export_began' and team_id = '${mine.id}'`,
  );
  expect(audit.filter(({ records }) => records.includes(user.user_id))).toHaveLength(1);
  await mine.api('DELETE', `/v2/user/${user.user_id}`);
  expect(typesOf(await exported(mine, `?user_id=${user.user_id}`))).toContain('user');
  const foreign = await team.api('GET', `${path()}?user_id=${user.user_id}`);
  expect(foreign).toMatchObject({ status: 404, body: { code: 'not_found' } });
});
