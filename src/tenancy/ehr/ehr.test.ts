import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openSession, type SignedIn } from '../../../test/signed-in.ts';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { findTraces } from '../../../test/find-traces.ts';
import { createTeam } from '../teams/create.ts';

type Member = {
  id: string;
  integration_member_id: string;
  name: string;
  email: string;
  avatar: string | null;
  team_role_bindings: { team_id: string }[] | null;
};
type Refusal = { code: string; detail: unknown; member_id?: string; limit?: number };
type Problems = { detail: { type: string; loc: string[] }[] };

let app: TestApp;
let team: Team;
beforeAll(async () => {
  app = await startTestApp({ PHIAL_EHR_MEMBERS_PER_ORG: '60' });
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam('Desert <b>Health');
});

const path = (more: string): string => `/v1/org/${team.org_id}/ehr_integration/${more}`;
const bindings = (...ids: string[]) => ids.map((team_id) => ({ team_id }));
const grace = { integration_member_id: 'ehr-7', name: 'Grace Hopper', email: 'grace@example.com' };
const create = async (more: object = {}) =>
  (await team.api<Member>('POST', path('member'), { ...grace, ...more })).body;
const read = async (id: string) => (await team.api<Member>('GET', path(`member/${id}`))).body;
const freeSlug = (): string => `clinic-${randomUUID()}`;
const configuration = (more: object = {}) => ({
  slug: freeSlug(),
  modalities: ['feature_embed', 'link_out'],
  origin_configs: [{ origin: 'https://ehr.example.com' }],
  ...more,
});
const configure = async (more: object = {}) => {
  await team.api<unknown>('PUT', path('configuration'), configuration(more));
};
const asked = (more: object = {}) => ({
  integration_member_id: 'ehr-7',
  feature: 'orders',
  modality: 'link_out',
  environment: 'sandbox',
  ...more,
});
const refusedLink = async (more: object = {}) => {
  const { status, body } = await team.api<Refusal>('POST', path('create_dashboard_url'), asked(more));
  return [status, body.code];
};

describe('a person of an EHR', () => {
  test("is added, listed, read, found by the EHR's id, and stored sealed", async () => {
    const picture = 'https://ehr.example.com/grace.png';
    const made = await create({ avatar: picture, team_role_bindings: bindings(team.id, team.id) });
    expect(made).toEqual({ id: expect.any(String), ...grace, avatar: picture, team_role_bindings: bindings(team.id) });
    expect(await read(made.id)).toEqual(made);
    const list = await team.api<{ data: Member[]; next_cursor: null }>('GET', path('member'));
    expect(list.body).toEqual({ data: [made], next_cursor: null });
    const found = await team.api<Member>('POST', path('resolve_member'), { integration_member_id: 'ehr-7' });
    expect(found.body).toEqual(made);
    const unknown = await team.api<Refusal>('POST', path('resolve_member'), { integration_member_id: 'ehr-8' });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found']);
    expect(await findTraces(app, ['Grace Hopper', 'ehr-7', 'grace.png'], 'stored')).toEqual([]);
  });

  test('has a unique EHR id in the organisation, and a conflict names the first person', async () => {
    const { id } = await create();
    const again = await team.api<Refusal>('POST', path('member'), { ...grace, name: 'Another' });
    expect([again.status, again.body]).toMatchObject([
      409,
      { code: 'integration_member_id_conflict', detail: { member_id: id }, member_id: id },
    ]);
    const responses = await Promise.all(
      [1, 2, 3].map(() => team.api<Refusal>('POST', path('member'), { ...grace, integration_member_id: 'race' })),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    team = await app.makeTeam();
    expect((await create()).id).not.toBe(id);
  });

  test('is changed key by key, and null clears only the picture and the teams', async () => {
    const { id } = await create({ avatar: 'https://ehr.example.com/a.png', team_role_bindings: bindings(team.id) });
    const patch = async (body: object) => (await team.api<Member>('PATCH', path(`member/${id}`), body)).body;
    expect(await patch({ name: 'Grace B. Hopper', email: null })).toMatchObject({
      name: 'Grace B. Hopper',
      email: grace.email,
      avatar: 'https://ehr.example.com/a.png',
      team_role_bindings: bindings(team.id),
    });
    expect(await patch({ avatar: null, name: null })).toMatchObject({ name: 'Grace B. Hopper', avatar: null });
    expect((await patch({ team_role_bindings: null })).team_role_bindings).toBeNull();
    await patch({ team_role_bindings: bindings(team.id) });
    expect((await patch({ team_role_bindings: [] })).team_role_bindings).toBeNull();
    expect(await read(id)).toEqual({ id, ...grace, name: 'Grace B. Hopper', avatar: null, team_role_bindings: null });
    const outsider = await app.makeTeam();
    const unknown = await team.api('PATCH', path(`member/${id}`), { team_role_bindings: bindings(outsider.id) });
    expect(unknown.status).toBe(404);
    const wrong = await team.api<Problems>('PATCH', path(`member/${id}`), { avatar: 'javascript:alert(1)' });
    expect([wrong.status, wrong.body.detail[0]?.loc]).toEqual([422, ['body', 'avatar']]);
  });

  test('that is erased leaves no data and is not found', async () => {
    const { id } = await create({ name: 'Ottoline Leaving', integration_member_id: 'ehr-leaving' });
    expect((await team.api('DELETE', path(`member/${id}`))).body).toEqual({ success: true });
    expect(await findTraces(app, ['Ottoline', 'ehr-leaving'])).toEqual([]);
    for (const method of ['GET', 'DELETE'])
      expect((await team.api<Refusal>(method, path(`member/${id}`))).body.code).toBe('not_found');
  });

  test('that is erased is in no stored answer, and other answers stay', async () => {
    const ask = (key: string, of: object, to = 'member') =>
      team.api<Member>('POST', path(to), of, { headers: { 'x-idempotency-key': key } });
    const leaving = { integration_member_id: 'ehr-forgotten', name: 'Wilhelmina Gone', email: 'gone@example.com' };
    const { body: made } = await ask('made', leaving);
    const { body: stays } = await ask('stays', grace);
    await ask('found', { integration_member_id: 'ehr-forgotten' }, 'resolve_member');
    expect((await ask('made', leaving)).body).toEqual(made);
    await team.api('DELETE', path(`member/${made.id.toUpperCase()}`));
    expect(await findTraces(app, ['Wilhelmina', 'ehr-forgotten', 'gone@example.com'])).toEqual([]);
    expect((await ask('found', { integration_member_id: 'ehr-forgotten' }, 'resolve_member')).status).toBe(404);
    expect((await ask('made', leaving)).body.id).not.toBe(made.id);
    expect((await ask('stays', grace)).body).toEqual(stays);
  });

  test('is listed in pages, up to a limit', async () => {
    for (let n = 0; n < 60; n += 1) await create({ integration_member_id: `ehr-${n}` });
    const first = await team.api<{ data: Member[]; next_cursor: string }>('GET', path('member'));
    const rest = await team.api<{ data: Member[]; next_cursor: null }>(
      'GET',
      path(`member?next_cursor=${first.body.next_cursor}`),
    );
    const all = [...first.body.data, ...rest.body.data].map((each) => each.integration_member_id);
    expect([first.body.data.length, all, rest.body.next_cursor]).toEqual([
      50,
      Array.from({ length: 60 }, (_, n) => `ehr-${n}`),
      null,
    ]);
    const more = await team.api<Refusal>('POST', path('member'), { ...grace, integration_member_id: 'ehr-60' });
    expect([more.status, more.body.limit]).toEqual([403, 60]);
  });
});

describe('the configuration', () => {
  test('is not found before it is set, and then read as it was set', async () => {
    expect((await team.api('GET', path('configuration'))).status).toBe(404);
    const slug = freeSlug();
    const put = await team.api<unknown>('PUT', path('configuration'), {
      slug,
      modalities: ['link_out', 'link_out'],
      origin_configs: [
        { origin: 'https://ehr.example.com', session_continuation_url: 'https://ehr.example.com/again' },
      ],
    });
    const whole = {
      slug,
      modalities: ['link_out'],
      origin_configs: [
        { origin: 'https://ehr.example.com', session_continuation_url: 'https://ehr.example.com/again' },
      ],
    };
    expect(put.body).toEqual(whole);
    expect((await team.api<unknown>('GET', path('configuration'))).body).toEqual(whole);
    await team.api<unknown>('PUT', path('configuration'), { slug, modalities: [], origin_configs: [] });
    const emptied = await team.api<unknown>('GET', path('configuration'));
    expect(emptied.body).toEqual({ slug, modalities: [], origin_configs: [] });
  });

  test('has a unique slug', async () => {
    const slug = freeSlug();
    await configure({ slug });
    await configure({ slug }); // The organisation's own slug is accepted.
    team = await app.makeTeam();
    const taken = await team.api<Refusal>('PUT', path('configuration'), configuration({ slug }));
    expect([taken.status, taken.body.code]).toEqual([409, 'ehr_slug_taken']);
    expect((await team.api('GET', path('configuration'))).status).toBe(404);
  });

  test.each([
    'http://ehr.example.com',
    'https://ehr.example.com/',
    'https://*.example.com',
    "https://ehr.example.com; script-src 'unsafe-inline'",
    'https://ehr.example.com https://other.example.com',
    'https://user@ehr.example.com',
    'ehr.example.com',
    '*',
  ])('does not accept the origin %j', async (origin) => {
    const { status, body } = await team.api<Problems>(
      'PUT',
      path('configuration'),
      configuration({ origin_configs: [{ origin }] }),
    );
    expect([status, body.detail[0]?.loc]).toEqual([422, ['body', 'origin_configs', 0, 'origin']]);
  });
});

type Link = { url: string; expires_in: number };
const link = async (more: object = {}): Promise<Link> =>
  (await team.api<Link>('POST', path('create_dashboard_url'), asked(more))).body;
const send = (url: string): Promise<Response> =>
  fetch(app.baseUrl + new URL(url).pathname, { method: 'POST', body: new URLSearchParams(), redirect: 'manual' });
const tokenOf = (sent: Response): string => /ss_\w+/.exec(sent.headers.get('set-cookie') ?? '')?.[0] ?? '';
const signIn = async ({ url }: Link): Promise<SignedIn> => openSession(app, tokenOf(await send(url)));

describe('a link for a person of an EHR', () => {
  beforeEach(() => configure());

  test('leaves a line in the audit log that names the person and the team', async () => {
    const { id } = await create({ team_role_bindings: bindings(team.id) });
    await link({ team_id: team.id });
    await link({ integration_member_id: null, member_id: id });
    await app.flushAudit();
    const log = `/v1/org/${team.org_id}/audit_log?action=create_dashboard_url&record_id=${id}`;
    const { body } = await team.api<{ data: { records: string[] }[] }>('GET', log);
    expect(body.data.map(({ records }) => records)).toEqual([[id], [id, team.id]]);
  });

  test('signs the person in once, and leads to the feature', async () => {
    const { id } = await create({ team_role_bindings: bindings(team.id) });
    for (const [feature, page] of [
      ['orders', '/dashboard/orders'],
      ['users', '/dashboard/users'],
      ['results', '/dashboard/critical-results'],
      ['home', '/dashboard'],
    ]) {
      const { url, expires_in } = await link({ feature });
      expect(expires_in).toBe(300);
      expect(await (await fetch(app.baseUrl + new URL(url).pathname)).text()).toContain(
        'as <strong>Grace Hopper</strong>',
      );
      const sent = await send(url);
      expect([sent.status, sent.headers.get('location')]).toEqual([302, page]);
      expect((await send(url)).status).toBe(403);
      const { shown } = await openSession(app, tokenOf(sent));
      expect(shown).toMatchObject({
        person: { kind: 'member', member_id: id, name: 'Grace Hopper', role: 'team_admin' },
        org: { id: team.org_id },
        teams: [{ id: team.id }],
      });
    }
  });

  test('signs the person out everywhere, and nobody else of the EHR', async () => {
    await create({ team_role_bindings: bindings(team.id) });
    const [one, again] = [await signIn(await link()), await signIn(await link())];
    await create({ integration_member_id: 'ehr-user-8', team_role_bindings: bindings(team.id) });
    const other = await signIn(await link({ integration_member_id: 'ehr-user-8' }));
    expect((await again.api('DELETE', '/v1/session/all')).status).toBe(204);
    const sessions = await Promise.all([one, again, other].map((of) => of.api('GET', '/v1/session')));
    expect(sessions.map(({ status }) => status)).toEqual([401, 401, 200]);
  });

  test('is valid for five minutes', async () => {
    await create({ team_role_bindings: bindings(team.id) });
    const { url } = await link();
    await sql`update sign_in_links set expires_at = expires_at - interval '299 seconds'`.execute(app.db);
    expect((await send(url)).status).toBe(302);
    const late = await link();
    await sql`update sign_in_links set expires_at = expires_at - interval '300 seconds'`.execute(app.db);
    expect((await send(late.url)).status).toBe(403);
  });

  test('for a team opens this team only, for as long as the person is bound to it', async () => {
    const second = await createTeam(app.ctx, { org_id: team.org_id, name: 'Second', integration_team_id: 'ehr-team' });
    const { id } = await create({ team_role_bindings: bindings(team.id, second.id) });
    const all = await signIn(await link({ member_id: id, integration_member_id: null }));
    const one = await signIn(await link({ integration_team_id: 'ehr-team' }));
    const users = async (of: SignedIn, teamId: string) =>
      (await of.api('GET', '/v2/user', undefined, { team: teamId })).status;
    expect([await users(all, team.id), await users(all, second.id)]).toEqual([200, 200]);
    expect(one.shown.teams.map((each) => each.id)).toEqual([second.id]);
    expect([await users(one, team.id), await users(one, second.id)]).toEqual([403, 200]);
    const keys = (teamId: string) => `/v1/org/${team.org_id}/team/${teamId}/sandbox/webhook`;
    expect((await one.api('GET', keys(team.id))).status).toBe(403);
    await team.api('PATCH', path(`member/${id}`), { team_role_bindings: bindings(team.id) });
    expect([await users(one, team.id), await users(one, second.id)]).toEqual([403, 403]);
    expect([await users(all, team.id), await users(all, second.id)]).toEqual([200, 403]);
  });

  test('and its session end when the person or the only team is erased', async () => {
    const second = await createTeam(app.ctx, { org_id: team.org_id, name: 'Second' });
    const { id } = await create({ team_role_bindings: bindings(team.id, second.id) });
    const [open, all] = [await link({ team_id: second.id }), await signIn(await link())];
    const one = await signIn(await link({ team_id: second.id }));
    const status = async (of: SignedIn) => (await of.api('GET', '/v1/session')).status;
    await team.api('DELETE', `/v1/org/${team.org_id}/team/${second.id}`);
    await app.runJobs();
    await expect.poll(() => status(one)).toBe(401);
    expect([(await send(open.url)).status, await status(all)]).toEqual([403, 200]);
    const last = await link();
    await team.api('DELETE', path(`member/${id}`));
    expect([(await send(last.url)).status, await status(all)]).toEqual([403, 401]);
  });

  test('does not open inside a page of the EHR', async () => {
    await create();
    expect(await refusedLink({ modality: 'feature_embed' })).toEqual([400, 'modality_not_available']);
  });

  test("names at most one person and one team, by our id or the EHR's id", async () => {
    const { id } = await create();
    for (const wrong of [
      { member_id: id },
      { integration_member_id: null },
      { team_id: team.id, integration_team_id: 'ehr-team' },
      { modality: 'popup' },
    ])
      expect((await team.api<Problems>('POST', path('create_dashboard_url'), asked(wrong))).status).toBe(422);
    expect(await refusedLink({ integration_member_id: 'nobody' })).toEqual([404, 'not_found']);
    expect(await refusedLink({ integration_team_id: 'nobody' })).toEqual([404, 'not_found']);
    expect(await refusedLink({ team_id: (await app.makeTeam()).id })).toEqual([404, 'not_found']);
  });

  test('reports an unbound team, an unknown feature or a disabled modality first', async () => {
    await create();
    expect(await refusedLink({ team_id: team.id })).toEqual([400, 'team_not_bound']);
    expect(await refusedLink({ feature: 'payroll' })).toEqual([400, 'unknown_feature']);
    expect(await refusedLink({ environment: 'production' })).toEqual([404, 'wrong_deployment']);
    await configure({ modalities: ['feature_embed'] });
    expect(await refusedLink()).toEqual([400, 'modality_not_enabled']);
    team = await app.makeTeam();
    await create();
    const { status, body } = await team.api<Refusal>('POST', path('create_dashboard_url'), asked({}));
    expect([status, body]).toMatchObject([
      400,
      { code: 'modality_not_enabled', detail: expect.stringContaining('has no configuration yet') },
    ]);
  });
});

test('a person of an EHR cannot open a deleted team', async () => {
  const second = await createTeam(app.ctx, { org_id: team.org_id, name: 'Second' });
  const { id } = await create({ team_role_bindings: bindings(team.id, second.id) });
  await team.api('DELETE', `/v1/org/${team.org_id}/team/${second.id}`);
  await app.runJobs();
  expect((await read(id)).team_role_bindings).toEqual(bindings(team.id));
});
