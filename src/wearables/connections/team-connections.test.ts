import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { eraseUsers } from '../../../test/erase-due-users.ts';
import { importConnection, makeUser } from '../../../test/factories.ts';
import { indexPagesRead, rowsRead } from '../../../test/rows-read.ts';
import { teamCtx } from '../../../test/team-ctx.ts';
import { subtractLeavingUsers } from '../../totals/subtract-leaving-users.ts';
import { failConnection } from './fail.ts';
import type { ConnectionError } from './error-messages.ts';

type Listed = {
  user_id: string;
  client_user_id: string;
  provider: { slug: string };
  status: string;
  since: string;
  error_details: { error_type: string; error_message: string } | null;
};
type Page = { data: Listed[]; next_cursor: string | null };
type Counts = {
  connected: number;
  error: number;
  paused: number;
  data: { provider: { slug: string }; status: string; error_type: string | null; number: number }[];
};

let app: TestApp;
let team: Team;
beforeAll(async () => {
  app = await startTestApp({}, { poolSize: 2 });
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam();
});

const list = async (query = ''): Promise<Page> => (await team.api<Page>('GET', `/v2/team/connections?${query}`)).body;
const counts = async (): Promise<Counts> => (await team.api<Counts>('GET', '/v2/team/connection_counts')).body;
const numbers = async (): Promise<unknown[]> =>
  (await counts()).data.map(({ provider, status, error_type, number }) => [provider.slug, status, error_type, number]);

async function connected(provider = 'oura'): Promise<string> {
  const { user_id } = await makeUser(team);
  await importConnection(team, user_id, {}, provider);
  return user_id;
}

async function broken(type: ConnectionError = 'token_refresh_failed', provider = 'oura'): Promise<string> {
  const user_id = await connected(provider);
  await failConnection(await teamCtx(app.ctx, team.id), { user_id, provider }, { type, details: '' });
  return user_id;
}

const pause = (user_id: string) => team.api('POST', '/v2/link/bulk_pause', { provider: 'oura', user_ids: [user_id] });

describe('the list of connections of a team', () => {
  test('has those in error, the newest first, with what to do', async () => {
    await connected();
    const first = await broken('token_refresh_failed');
    const second = await broken('deregistered_per_provider');
    const { data, next_cursor } = await list();
    expect(data.map(({ user_id }) => user_id)).toEqual([second, first]);
    expect(data[1]).toEqual({
      user_id: first,
      client_user_id: expect.any(String),
      provider: expect.objectContaining({ slug: 'oura', name: 'Oura' }),
      status: 'error',
      since: expect.any(String),
      error_details: {
        error_type: 'token_refresh_failed',
        error_message: expect.stringContaining('connect it again'),
        errored_at: data[1]?.since,
      },
    });
    expect(next_cursor).toBeNull();
  });

  test('is filtered by status, provider and error, and an unknown word matches nothing', async () => {
    const [works, paused] = [await connected(), await connected()];
    await pause(paused);
    const fails = await broken('unknown', 'fitbit');
    const of = async (query: string): Promise<string[]> => (await list(query)).data.map(({ user_id }) => user_id);
    expect(await of('status=connected')).toEqual([works]);
    expect(await of('status=paused')).toEqual([paused]);
    expect(await of('status=error&provider=fitbit')).toEqual([fails]);
    const refused = await broken('token_refresh_failed', 'fitbit');
    expect(await of('error_type=unknown')).toEqual([fails]);
    expect(await of('error_type=token_refresh_failed&provider=fitbit')).toEqual([refused]);
    expect(await of('error_type=asleep')).toEqual([]);
    expect(await of('provider=oura')).toEqual([]);
    expect(await of('status=asleep')).toEqual([]);
  });

  test('has the time at which the status changed, and not that of a later change of the tokens', async () => {
    const user = await connected();
    await sql`update connections set status_since = '2026-01-05T07:00:00Z' where user_id = ${user}`.execute(app.db);
    const since = async (status: string): Promise<string | undefined> =>
      (await list(`status=${status}`)).data[0]?.since;
    await importConnection(team, user);
    expect(await since('connected')).toBe('2026-01-05T07:00:00.000Z');
    await pause(user);
    expect(Date.parse((await since('paused')) as string)).toBeGreaterThan(Date.parse('2026-02-01'));
  });

  test('has each connection once over its pages, also those of one moment', async () => {
    const users = [];
    for (let n = 0; n < 5; n += 1) users.push(await broken());
    await sql`update connections set status_since = '2026-01-05T07:00:00.123456Z' where team_id = ${team.id}`.execute(
      app.db,
    );
    for (const filter of ['', '&provider=oura']) {
      const found: string[] = [];
      let cursor: string | null = '';
      for (let pages = 1; cursor !== null; pages += 1) {
        const page: Page = await list(`limit=2${filter}${cursor && `&next_cursor=${cursor}`}`);
        found.push(...page.data.map(({ user_id }) => user_id));
        cursor = page.next_cursor;
        expect(pages).toBeLessThanOrEqual(3);
      }
      expect(found).toEqual(users.toSorted().toReversed());
    }
  });

  test('refuses the cursor of another list', async () => {
    const cursor = Buffer.from(JSON.stringify('0198c0de-0000-7000-8000-000000000001')).toString('base64url');
    expect((await team.api('GET', `/v2/team/connections?next_cursor=${cursor}`)).status).toBe(422);
  });

  test('leaves out users who are scheduled for deletion', async () => {
    await team.api('DELETE', `/v2/user/${await broken()}`);
    expect((await list()).data).toEqual([]);
  });
});

describe('the counts of connections', () => {
  test('are by provider, status and error, and of the team alone', async () => {
    await connected();
    await connected();
    await broken('token_refresh_failed');
    await broken('unknown', 'fitbit');
    await pause(await connected());
    const before = await counts();
    expect(before).toMatchObject({ connected: 2, error: 2, paused: 1 });
    expect(await numbers()).toEqual([
      ['fitbit', 'error', 'unknown', 1],
      ['oura', 'connected', null, 2],
      ['oura', 'error', 'token_refresh_failed', 1],
      ['oura', 'paused', null, 1],
    ]);
    team = await app.makeTeam();
    expect(await counts()).toEqual({ connected: 0, error: 0, paused: 0, data: [] });
  });

  test('follow each change: a new connection, its end, a deleted user, the erasure', async () => {
    const [ended, leaving, back] = [await connected(), await broken(), await broken()];
    await importConnection(team, back);
    expect(await numbers()).toEqual([
      ['oura', 'connected', null, 2],
      ['oura', 'error', 'token_refresh_failed', 1],
    ]);
    await team.api('DELETE', `/v2/user/${ended}/oura`);
    await team.api('DELETE', `/v2/user/${leaving}`);
    const remaining = [['oura', 'connected', null, 1]];
    expect(await numbers()).toEqual(remaining);
    await sql`update users set deleted_at = now() - interval '2 minutes' where id = ${leaving}`.execute(app.db);
    await subtractLeavingUsers(app.ctx);
    const { rows } = await sql`select from users where id = ${leaving} and orders_left_out`.execute(app.db);
    expect(rows).toHaveLength(1);
    expect(await numbers()).toEqual(remaining);
    await team.api('POST', `/v2/user/undo_delete?user_id=${leaving}`);
    expect((await counts()).error).toBe(1);
    await team.api('DELETE', `/v2/user/${leaving}`);
    await sql`update users set deleted_at = now() - interval '8 days' where id = ${leaving}`.execute(app.db);
    await subtractLeavingUsers(app.ctx);
    await eraseUsers(app.ctx);
    expect((await sql`select from users where id = ${leaving}`.execute(app.db)).rows).toEqual([]);
    expect(await numbers()).toEqual(remaining);
  });
});

test('a page and the counts of 20,000 connections read few rows', async () => {
  const single = await startTestApp({}, { databaseUrl: app.databaseUrl, poolSize: 1 });
  const many = 20_000;
  await sql`
    with made as (
      insert into users (id, team_id, client_user_id)
      select gen_random_uuid(), ${team.id}, 'of-many-' || n from generate_series(1, ${many}::integer) as n returning id
    )
    insert into connections (user_id, provider, team_id, status, error_type, errored_at)
    select id, 'oura', ${team.id}, 'error', 'unknown', now() from made`.execute(app.db);
  const as = (path: string): Promise<unknown> => single.api('GET', path, undefined, { key: team.api_key });
  try {
    for (const path of ['/v2/team/connections?limit=10', '/v2/team/connections?limit=10&provider=oura']) {
      await as(path);
      expect([path, await rowsRead(single.db, ['connections', 'users'], () => as(path))]).toEqual([
        path,
        expect.toSatisfy((read: number) => read <= 40),
      ]);
    }
    const pages = await indexPagesRead(single.db, ['connections'], () => as('/v2/team/connection_counts'));
    expect(pages).toBeLessThan(20);
    expect((await counts()).error).toBe(many);
  } finally {
    await single.close();
  }
}, 60_000);
