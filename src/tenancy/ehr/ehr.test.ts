import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/app.ts';
import { findTraces } from '../../../test/traces.ts';
import { signToken } from '../../privacy/signed-link.ts';
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
type Link = { url: string; expires_in: number };

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
const link = async (more: object = {}) =>
  (await team.api<Link>('POST', path('create_dashboard_url'), asked(more))).body;
const refusedLink = async (more: object = {}) => {
  const { status, body } = await team.api<Refusal>('POST', path('create_dashboard_url'), asked(more));
  return [status, body.code];
};
const open = (url: string): Promise<Response> => fetch(app.baseUrl + new URL(url).pathname);

describe('a person of an EHR', () => {
  test('is kept, listed, read and found by the id of the EHR, and lies sealed', async () => {
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

  test('is one by the id of the EHR in an organisation: a second one names the first', async () => {
    const { id } = await create();
    const again = await team.api<Refusal>('POST', path('member'), { ...grace, name: 'Another' });
    expect([again.status, again.body]).toMatchObject([
      409,
      { code: 'integration_member_id_conflict', detail: { member_id: id }, member_id: id },
    ]);
    const answers = await Promise.all(
      [1, 2, 3].map(() => team.api<Refusal>('POST', path('member'), { ...grace, integration_member_id: 'race' })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    team = await app.makeTeam();
    expect((await create()).id).not.toBe(id);
  });

  test('is changed key by key: null takes the picture and the teams away, and nothing that is needed', async () => {
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
    const stranger = await app.makeTeam();
    const unknown = await team.api('PATCH', path(`member/${id}`), { team_role_bindings: bindings(stranger.id) });
    expect(unknown.status).toBe(404);
    const wrong = await team.api<Problems>('PATCH', path(`member/${id}`), { avatar: 'javascript:alert(1)' });
    expect([wrong.status, wrong.body.detail[0]?.loc]).toEqual([422, ['body', 'avatar']]);
  });

  test('that is erased leaves nothing, and is not found', async () => {
    const { id } = await create({ name: 'Ottoline Leaving', integration_member_id: 'ehr-leaving' });
    expect((await team.api('DELETE', path(`member/${id}`))).body).toEqual({ success: true });
    expect(await findTraces(app, ['Ottoline', 'ehr-leaving'])).toEqual([]);
    for (const method of ['GET', 'DELETE'])
      expect((await team.api<Refusal>(method, path(`member/${id}`))).body.code).toBe('not_found');
  });

  test('that is erased is in no answer that was kept for a key, of making or of finding them, and others stay', async () => {
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

  test('comes in pages, and up to a limit', async () => {
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
  test('is not found before it is made, and read as it was put', async () => {
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

  test('has a slug that nobody else has', async () => {
    const slug = freeSlug();
    await configure({ slug });
    await configure({ slug }); // its own
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
  ])('takes no %j for an origin', async (origin) => {
    const { status, body } = await team.api<Problems>(
      'PUT',
      path('configuration'),
      configuration({ origin_configs: [{ origin }] }),
    );
    expect([status, body.detail[0]?.loc]).toEqual([422, ['body', 'origin_configs', 0, 'origin']]);
  });
});

describe('a link for a person of an EHR', () => {
  beforeEach(() => configure());

  test('opens a page that tells who is signed in, for which team and what, for five minutes', async () => {
    await create({ name: 'Grace <i>Hopper', team_role_bindings: bindings(team.id) });
    const made = await link({ team_id: team.id });
    expect(made).toEqual({ url: expect.stringMatching(/\/documents\/dashboard\/[\w-]{119}$/), expires_in: 300 });
    for (let n = 0; n < 2; n += 1) {
      const page = await open(made.url);
      const text = await page.text();
      expect(page.status).toBe(200);
      for (const words of [
        'Desert &lt;b&gt;Health',
        'Grace &lt;i&gt;Hopper',
        'grace@example.com',
        'Orders',
        'This release has no dashboard yet',
      ])
        expect(text).toContain(words);
      expect(text).not.toMatch(/<i>|<script|<form/);
      expect(page.headers.get('content-security-policy')).toContain("form-action 'none'; frame-ancestors 'none'");
    }
    await sql`update ehr_sessions set expires_at = now()`.execute(app.db);
    expect((await open(made.url)).status).toBe(403);
  });

  test('of feature_embed may be shown within the pages of the EHR, by the configuration of now', async () => {
    await create();
    const { url } = await link({ modality: 'feature_embed', feature: 'home' });
    const ancestors = async () =>
      /frame-ancestors (.*)$/.exec((await open(url)).headers.get('content-security-policy') ?? '')?.[1];
    expect(await ancestors()).toBe('https://ehr.example.com');
    await configure({
      origin_configs: [{ origin: 'https://a.example.com' }, { origin: 'https://b.example.com:8443' }],
    });
    expect(await ancestors()).toBe('https://a.example.com https://b.example.com:8443');
    await configure({ origin_configs: [] });
    expect(await ancestors()).toBe("'none'");
    await configure({ modalities: ['link_out'] });
    expect((await open(url)).status).toBe(403);
  });

  test('names the person and the team by our id or by that of the EHR, and by one of both', async () => {
    const second = await createTeam(app.ctx, { org_id: team.org_id, name: 'Second', integration_team_id: 'ehr-team' });
    const { id } = await create({ team_role_bindings: bindings(team.id, second.id) });
    const byOurs = await open((await link({ member_id: id, integration_member_id: null, team_id: second.id })).url);
    const byTheirs = await open((await link({ integration_team_id: 'ehr-team', team_id: null })).url);
    expect(await byOurs.text()).toBe(await byTheirs.text());
    const ofAll = await (await open((await link()).url)).text();
    for (const name of ['Desert &lt;b&gt;Health', 'Second']) expect(ofAll).toContain(`<p>${name}</p>`);
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

  test('is not made for a team that the person is not bound to, a feature that there is not, or a modality that is not enabled', async () => {
    const { id } = await create();
    expect(await refusedLink({ team_id: team.id })).toEqual([400, 'team_not_bound']);
    expect(await refusedLink({ feature: 'payroll' })).toEqual([400, 'unknown_feature']);
    expect(await refusedLink({ environment: 'production' })).toEqual([404, 'wrong_deployment']);
    await configure({ modalities: ['feature_embed'] });
    expect(await refusedLink()).toEqual([400, 'modality_not_enabled']);
    expect(
      await open((await link({ member_id: id, integration_member_id: null, modality: 'feature_embed' })).url),
    ).toMatchObject({
      status: 200,
    });
    team = await app.makeTeam();
    await create();
    const { status, body } = await team.api<Refusal>('POST', path('create_dashboard_url'), asked({}));
    expect([status, body]).toMatchObject([
      400,
      { code: 'modality_not_enabled', detail: expect.stringContaining('has no configuration yet') },
    ]);
  });

  test('opens nothing once the person is erased, or no longer bound to its team, or the team is deleted', async () => {
    const second = await createTeam(app.ctx, { org_id: team.org_id, name: 'Second' });
    const { id } = await create({ team_role_bindings: bindings(team.id, second.id) });
    const [ofTeam, ofSecond, ofAll] = [
      await link({ team_id: team.id }),
      await link({ team_id: second.id }),
      await link(),
    ];
    await team.api('DELETE', `/v1/org/${team.org_id}/team/${second.id}`);
    await app.runJobs();
    expect((await open(ofSecond.url)).status).toBe(403);
    expect((await read(id)).team_role_bindings).toEqual(bindings(team.id));
    await team.api<unknown>('PATCH', path(`member/${id}`), { team_role_bindings: null });
    expect((await open(ofTeam.url)).status).toBe(403);
    expect((await open(ofAll.url)).status).toBe(200);
    await team.api('DELETE', path(`member/${id}`));
    expect((await open(ofAll.url)).status).toBe(403);
  });

  test('is of its organisation and kind alone', async () => {
    await create();
    const { url } = await link();
    const other = await app.makeTeam();
    const { id } = await app.db
      .selectFrom('ehr_sessions')
      .select('id')
      .where('org_id', '=', team.org_id)
      .executeTakeFirstOrThrow();
    const expires = Math.floor(Date.now() / 1000) + 60;
    for (const [kind, owner] of [
      ['dashboard', other.org_id],
      ['invite', team.org_id],
    ] as const) {
      const token = signToken(app.ctx.cipher, kind, { team_id: owner, id, expires });
      expect((await fetch(`${app.baseUrl}/documents/dashboard/${token}`)).status).toBe(403);
    }
    expect((await fetch(app.baseUrl + new URL(url).pathname.replace('dashboard', 'invite'))).status).toBe(403);
    expect((await open(url)).status).toBe(200);
  });
});
