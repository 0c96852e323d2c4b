import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../test/test-app.ts';
import { hookOfOura, importConnection, makeUser } from '../test/factories.ts';
import { invite } from '../test/people-of-orgs.ts';
import { startProvider } from '../test/provider.ts';
import { refresh } from '../test/pulled.ts';
import { eraseUsers } from '../test/erase-due-users.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const metrics = async (): Promise<string> => {
  const response = await fetch(`${app.baseUrl}/metrics`);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  return response.text();
};
const valueOf = (text: string, name: string): number =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')
      .at(-1),
  );

describe('/metrics', () => {
  test('counts requests by operation and status', async () => {
    const before =
      valueOf(await metrics(), 'phial_request_duration_seconds_count{operation="get_team_metrics",status="200"}') || 0;
    await app.api('GET', '/v2/user/metrics');
    await app.api('GET', '/v2/user/metrics', undefined, { key: null });
    const after = await metrics();
    expect(valueOf(after, 'phial_request_duration_seconds_count{operation="get_team_metrics",status="200"}')).toBe(
      before + 1,
    );
    expect(valueOf(after, 'phial_request_duration_seconds_count{operation="get_team_metrics",status="401"}')).toBe(1);
  });

  test('shows no data about a caller or patient', async () => {
    const marks = { reference: 'canary-7f3a', search: 'canary-91bc', key: 'canary-key-5d', path: 'canary-path-8e' };
    const {
      body: { user_id },
    } = await app.api<{ user_id: string }>('POST', '/v2/user', { client_user_id: marks.reference });
    await app.api('GET', `/v2/user/${user_id}`);
    await app.api('GET', `/v2/user/resolve/${marks.reference}`);
    await app.api('GET', `/v2/team/users/search?query_id=${marks.search}`);
    await app.api('GET', `/${marks.path}`);
    await app.api('GET', '/v2/user', undefined, { key: marks.key });
    const text = await metrics();
    expect(text).toContain('operation="resolve_user"');
    for (const mark of [...Object.values(marks), 'canary', user_id, app.team.id, app.team.org_id])
      expect(text).not.toContain(mark);
  });

  test('shows how many deliveries wait and how old the oldest due one is, without disabled endpoints', async () => {
    expect(valueOf(await metrics(), 'phial_webhook_deliveries_waiting')).toBe(0);
    expect(valueOf(await metrics(), 'phial_webhook_oldest_due_seconds')).toBe(0);
    const webhook = { team_id: app.team.id, url: 'http://127.0.0.1:9/' };
    const make = async (disabled: boolean): Promise<string> => {
      const id = crypto.randomUUID();
      await app.db
        .insertInto('webhooks')
        .values({ ...webhook, id, disabled })
        .execute();
      const owner = disabled ? null : crypto.randomUUID();
      await app.db.insertInto('endpoint_queues').values({ webhook_id: id, team_id: app.team.id, owner }).execute();
      return id;
    };
    const [busy, off] = [await make(false), await make(true)];
    const at = (seconds: number): number => Date.now() + seconds * 1000;
    const first = (webhook_id: string, seconds: number) => {
      const time = at(seconds).toString(16).padStart(12, '0');
      const event_id = `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
      return { webhook_id, event_id, team_id: app.team.id };
    };
    const retry = (seconds: number, attempt: number) => ({
      webhook_id: busy,
      event_id: crypto.randomUUID(),
      team_id: app.team.id,
      attempt,
      due_at: new Date(at(seconds)).toISOString(),
    });
    await app.db
      .insertInto('deliveries')
      .values([first(busy, -100), first(off, -9000)])
      .execute();
    await app.db
      .insertInto('retries')
      .values([retry(-300, 2), retry(600, 1)])
      .execute();
    const text = await metrics();
    expect(valueOf(text, 'phial_webhook_deliveries_waiting')).toBe(4);
    expect(valueOf(text, 'phial_webhook_oldest_due_seconds')).toBeGreaterThan(295);
    expect(valueOf(text, 'phial_webhook_oldest_due_seconds')).toBeLessThan(330);
  });

  test('shows how many mails wait and how old the oldest is, without sent mails and ended links', async () => {
    const readValues = async (): Promise<number[]> => {
      const text = await metrics();
      return ['phial_mails_waiting', 'phial_mails_oldest_waiting_seconds'].map((name) => valueOf(text, name));
    };
    expect(await readValues()).toEqual([0, 0]);
    const invites = await Promise.all(
      ['grace', 'ada', 'joan'].map(async (name) => (await invite(app.team, `${name}@example.com`)).id),
    );
    const [waiting, sent, ended] = invites as [string, string, string];
    await sql`update mails set created_at = now() - interval '900 s'`.execute(app.db);
    await sql`update mails set created_at = now() - interval '300 s' where about = ${waiting}`.execute(app.db);
    await sql`update mails set content = null where about = ${sent}`.execute(app.db);
    await sql`update mails set expires_at = now() where about = ${ended}`.execute(app.db);
    expect(await readValues()).toEqual([1, expect.closeTo(300, -2)]);
  });

  test('shows how many deletions are due and not done, and how old the oldest is', async () => {
    const readValues = async (of: string): Promise<number[]> => {
      const text = await metrics();
      return ['due', 'oldest_due_seconds'].map((name) => valueOf(text, `phial_erasures_${name}{of="${of}"}`));
    };
    const { user_id } = await makeUser(app.team);
    await app.api('DELETE', `/v2/user/${user_id}`);
    expect([await readValues('users'), await readValues('teams')]).toEqual([
      [0, 0],
      [0, 0],
    ]);
    await sql`update users set deleted_at = now() - interval '7 days 600 s' where id = ${user_id}`.execute(app.db);
    expect(await readValues('users')).toEqual([1, expect.closeTo(600, -2)]);
    await sql`update users set deleted_at = '-infinity' where id = ${user_id}`.execute(app.db);
    expect(await readValues('users')).toEqual([1, 0]);
    await eraseUsers(app.ctx);
    expect(await readValues('users')).toEqual([0, 0]);

    const other = await app.makeTeam();
    await other.api('DELETE', `/v1/org/${other.org_id}/team/${other.id}`);
    await sql`update team_deletions set requested_at = now() - interval '900 s' where id = ${other.id}`.execute(app.db);
    expect(await readValues('teams')).toEqual([1, expect.closeTo(900, -2)]);
    await app.runJobs();
    expect(await readValues('teams')).toEqual([0, 0]);
  });

  test('is not served on the API port in production, or when metrics have their own port', async () => {
    for (const env of [{ PHIAL_ENVIRONMENT: 'production' }, { PHIAL_METRICS_PORT: '9464' }] as Record<
      string,
      string
    >[]) {
      const other = await startTestApp(env);
      expect((await fetch(`${other.baseUrl}/metrics`)).status).toBe(404);
      await other.close();
    }
  });
});

test('/metrics counts pulls, polls and notifications by provider and outcome, and shows no names', async () => {
  const provider = await startProvider();
  const app = await startTestApp(provider.env('oura'));
  const { user_id } = await makeUser(app.team);
  const shown = async (): Promise<string[]> => {
    const text = await (await fetch(`${app.baseUrl}/metrics`)).text();
    for (const id of [user_id, app.team.id, app.team.org_id]) expect(text).not.toContain(id);
    return text.split('\n').filter((line) => /^phial_(pull_windows|polls|provider_hooks)_total/.test(line));
  };
  expect(await shown()).toEqual([]);
  provider.play(({ path }) => (path.includes('workout') ? { status: 503, json: {} } : { json: { data: [] } }));
  await importConnection(app.team, user_id, { oauth_scopes: ['workout'] });
  await app.runJobs();
  expect(await shown()).toEqual(['phial_pull_windows_total{provider="oura",outcome="provider_unavailable"} 1']);
  await refresh(app, app.team, user_id);
  expect(await shown()).toContain('phial_polls_total{provider="oura",outcome="failure"} 1');
  provider.play(() => ({ json: { data: [] } }));
  await refresh(app, app.team, user_id);
  const providerEvent = { data_type: 'workout', object_id: 'workout-1' };
  await hookOfOura(app.team, 'secret-of-oura', providerEvent);
  await hookOfOura(app.team, 'secret-of-oura', { ...providerEvent, user_id: 'somebody-else' });
  await hookOfOura(app.team, 'secret-of-strava', providerEvent);
  expect(await shown()).toEqual(
    expect.arrayContaining([
      'phial_polls_total{provider="oura",outcome="success"} 1',
      'phial_provider_hooks_total{provider="oura",outcome="kept"} 1',
      'phial_provider_hooks_total{provider="oura",outcome="nobody_told"} 1',
      'phial_provider_hooks_total{provider="oura",outcome="refused"} 1',
    ]),
  );
  await app.close();
  await provider.close();
});
