import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestApp, type Answer, type Team, type TestApp } from '../../test/test-app.ts';
import { signInMember } from '../../test/signed-in.ts';
import { eraseUsers } from '../../test/erase-due-users.ts';
import { makeUser } from '../../test/factories.ts';
import { minIdAt } from '../ids.ts';
import { createManagementKey } from '../tenancy/keys/create-management-key.ts';
import { createTeam } from '../tenancy/teams/create.ts';

type Line = {
  id: string;
  created_at: string;
  team_id: string | null;
  key_id: string | null;
  person_id: string | null;
  person_name: string | null;
  actor: string;
  action: string;
  status: number | null;
  records: string[];
};
type Page = { data: Line[]; next_cursor: string | null };

let app: TestApp;
let team: Team;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam();
});

const path = (of: Team = team): string => `/v1/org/${of.org_id}/audit_log`;
const page = async (query = ''): Promise<Page> => {
  await app.flushAudit();
  return (await team.api<Page>('GET', `${path()}?${query}`)).body;
};
const actions = async (query = ''): Promise<string[]> => (await page(query)).data.map(({ action }) => action);

/** Plants lines of the organisation, one each second before now. */
const plant = (many: number, action: string): Promise<unknown> =>
  sql`insert into audit_log (id, org_id, team_id, actor, action)
      select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint - 1000 * n), 12, '0')
              || substr(replace(gen_random_uuid()::text, '-', ''), 13))::uuid,
             ${team.org_id}, ${team.id}, 'team_key', ${action} from generate_series(1, ${many}::integer) as n`.execute(
    app.db,
  );

describe('the audit log of an organisation', () => {
  test('names the people who were signed in, in the list and in the export, until they are removed', async () => {
    const ada = await signInMember(app, team);
    const { user_id } = await makeUser(team);
    await ada.api('GET', `/v2/user/${user_id}`, undefined, { team: team.id });
    const named = async (): Promise<unknown> => {
      const { data } = await page('actor=session&action=get_user');
      const exported = await team.api<string>('GET', `${path()}/export?actor=session&action=get_user`);
      expect(JSON.parse(exported.body)).toEqual(data[0]);
      return data.map(({ person_id, person_name }) => [person_id, person_name]);
    };
    expect(await named()).toEqual([[ada.member.id, ada.member.name]]);
    await team.api('DELETE', `/v1/org/${team.org_id}/member/${ada.member.id}`);
    expect(await named()).toEqual([[ada.member.id, null]]);
    expect((await page('action=create_user')).data).toMatchObject([{ person_id: null, person_name: null }]);
  });

  test('has who did what with which records, the newest first, and nothing of others', async () => {
    const { user_id } = await makeUser(team);
    await team.api('GET', `/v2/user/${user_id}`);
    await makeUser(await app.makeTeam());
    const { data } = await page();
    expect(data.map(({ action, actor, status }) => [action, actor, status])).toEqual([
      ['get_user', 'team_key', 200],
      ['create_user', 'team_key', 200],
    ]);
    expect(data[1]).toMatchObject({ team_id: team.id, records: [user_id], address: '127.0.0.1' });
    expect(await actions()).toEqual(['list_audit_log', 'get_user', 'create_user']);
  });

  test('is filtered by operation, actor, key, record, team and time', async () => {
    const { user_id } = await makeUser(team);
    await team.api('GET', `/v2/user/${user_id}`);
    await team.api('GET', `/v1/org/${team.org_id}/team`);
    const key = (await page('action=get_user')).data[0]?.key_id;
    expect(await actions('action=get_user')).toEqual(['get_user']);
    expect((await actions('actor=management_key')).at(-1)).toBe('list_teams');
    expect(await actions(`key_id=${key}`)).toEqual(['get_user', 'create_user']);
    expect(await actions(`record_id=${user_id}`)).toEqual(['get_user', 'create_user']);
    expect(await actions(`record_id=${randomUUID()}`)).toEqual([]);
    const sibling = await createTeam(app.ctx, { org_id: team.org_id, name: 'Sibling' });
    expect(await actions(`team_id=${team.id}&actor=team_key`)).toEqual(['get_user', 'create_user']);
    expect(await actions(`team_id=${sibling.id}`)).toEqual([]);
    expect((await team.api('GET', `${path()}?team_id=${randomUUID()}`)).status).toBe(404);
    expect(await actions('until=2026-01-01')).toEqual([]);
    expect(await actions('action=get_user&since=2026-11-01')).toEqual(['get_user']);
  });

  test('has each line once over its pages, also where the filters reject most of what is looked at', async () => {
    await plant(20_500, 'get_order');
    await plant(3, 'delete_user');
    const walk = async (query: string): Promise<{ found: string[]; pages: number }> => {
      const found: string[] = [];
      let cursor: string | null = '';
      let pages = 0;
      for (; cursor !== null && pages < 30; pages += 1) {
        const read: Page = await page(`${query}${cursor && `&next_cursor=${cursor}`}`);
        found.push(...read.data.map(({ id }) => id));
        cursor = read.next_cursor;
      }
      expect(new Set(found).size).toBe(found.length);
      expect(found).toEqual(found.toSorted().toReversed());
      return { found, pages };
    };
    expect((await walk('action=delete_user&limit=2')).found).toHaveLength(3);
    const { found, pages } = await walk('action=create_nothing');
    expect([found.length, pages]).toEqual([0, 2]);
    expect((await walk('action=get_order&limit=500&since=2026-01-01')).found.length).toBe(15_000);
  });

  test('refuses more than a year, and a range that ends before it begins', async () => {
    for (const query of ['since=2024-01-01', 'since=2026-11-02&until=2026-11-01'])
      expect([query, (await team.api('GET', `${path()}?${query}`)).status]).toEqual([query, 422]);
  });

  test('a Team Management Key reads the lines of its own teams', async () => {
    await makeUser(team);
    const sibling = await createTeam(app.ctx, { org_id: team.org_id, name: 'Sibling' });
    const { value: key } = await createManagementKey(app.ctx, {
      org_id: team.org_id,
      label: 'bound',
      role: 'team_admin',
      team_ids: [sibling.id],
    });
    const as = (query: string): Promise<Answer<Page>> => app.api('GET', `${path()}?${query}`, undefined, { key });
    await app.flushAudit();
    expect((await as('')).body.data).toEqual([]);
    expect((await as(`team_id=${team.id}`)).status).toBe(403);
    expect((await app.api('GET', path(), undefined, { key: app.team.management_key })).status).toBe(404);
  });

  test('has what the service did to the data of a team by itself', async () => {
    const { user_id } = await makeUser(team);
    await team.api('DELETE', `/v2/user/${user_id}`);
    await sql`update users set deleted_at = now() - interval '8 days' where id = ${user_id}`.execute(app.db);
    await eraseUsers(app.ctx);
    expect((await page('action=user.erased')).data).toMatchObject([{ team_id: team.id, records: [user_id] }]);
  });
});

describe('the export of the audit log', () => {
  const lines = async (query = ''): Promise<Line[]> => {
    await app.flushAudit();
    const response = await fetch(`${app.baseUrl}${path()}/export?${query}`, {
      headers: { 'x-management-key': team.management_key },
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/x-ndjson; charset=utf-8',
    ]);
    const text = await response.text();
    return text === '' ? [] : (text.trimEnd().split('\n') as string[]).map((line) => JSON.parse(line) as Line);
  };

  test('has every line of the range once, the oldest first, as the list shows it', async () => {
    await plant(2_500, 'get_order');
    const { user_id } = await makeUser(team);
    const exported = await lines();
    expect(exported).toHaveLength(2_501);
    expect(exported.map(({ id }) => id)).toEqual(exported.map(({ id }) => id).toSorted());
    expect(exported.at(-1)).toEqual((await page(`record_id=${user_id}`)).data[0]);
    expect(await lines(`record_id=${user_id}&actor=team_key`)).toHaveLength(1);
    expect(await lines('until=2026-01-01')).toEqual([]);
  });

  test('ends when its client disconnects, also where the filters reject every line', async () => {
    await plant(120_000, 'get_order');
    const spy = vi.spyOn(pg.Client.prototype, 'query');
    try {
      const reads = (): number =>
        spy.mock.calls.filter(([query]) => String((query as { text?: string }).text).includes('from audit_log')).length;
      const hungUp = new AbortController();
      const response = fetch(`${app.baseUrl}${path()}/export?action=nothing`, {
        headers: { 'x-management-key': team.management_key },
        signal: hungUp.signal,
      }).then((sent) => sent.text());
      await expect.poll(reads, { interval: 1 }).toBeGreaterThan(0);
      hungUp.abort();
      await expect(response).rejects.toThrow();
      await new Promise((done) => setTimeout(done, 2_000));
      // The whole range takes twelve.
      expect(reads()).toBeLessThan(6);
    } finally {
      spy.mockRestore();
    }
  });
});

test('a page of a large log in a shared database takes few milliseconds', async () => {
  await sql`
    insert into audit_log (id, org_id, actor, action)
    select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint - n), 12, '0')
            || substr(replace(gen_random_uuid()::text, '-', ''), 13))::uuid,
           gen_random_uuid(), 'team_key', 'get_user' from generate_series(1, 50000) as n`.execute(app.db);
  await makeUser(team);
  await app.flushAudit();
  const { rows } = await sql<{ 'QUERY PLAN': string }>`
    explain select * from audit_log where org_id = ${team.org_id} and id >= ${minIdAt(0)} order by org_id desc, id desc
     limit 50`.execute(app.db);
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('org_id');
  expect(await actions('actor=team_key')).toEqual(['create_user']);
});
