import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import {
  accept,
  invite,
  invitePath,
  makeMember,
  memberPath,
  type Invite,
  type Member,
} from '../../../test/people-of-orgs.ts';
import { openSession } from '../../../test/signed-in.ts';
import { findTraces } from '../../../test/find-traces.ts';
import { untilBlocked } from '../../../test/until-blocked.ts';
import { signToken } from '../../privacy/signed-link.ts';
import { createTeam } from '../teams/create.ts';
import { createInvite } from './invites/create.ts';
import { inviteUrl } from './invites/mail.ts';

type Refusal = { code: string; limit?: number };
type Problems = { detail: { type: string; loc: string[]; msg: string }[] };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ PHIAL_MEMBERS_PER_ORG: '60' });
});
afterAll(() => app.close());

let team: Team;
beforeEach(async () => {
  team = await app.makeTeam('Desert Health & Sons');
});

const ask = (email: string, bound: object = {}) =>
  team.api<{ status: string }>('POST', invitePath(team), { email, ...bound });
const refused = (email: string, bound: object = {}) => team.api<Refusal>('POST', invitePath(team), { email, ...bound });
const invites = async (query = '') =>
  (await team.api<{ invites: Invite[] }>('GET', `${invitePath(team)}${query}`)).body.invites;
const members = async (query = '') =>
  (await team.api<{ members: Member[] }>('GET', `${memberPath(team)}${query}`)).body.members;
const linkOf = ({ id }: { id: string }): string => inviteUrl(app.ctx, team.org_id, { id });
const open = (url: string): Promise<Response> => fetch(app.baseUrl + new URL(url).pathname);
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const sendForm = (url: string, headers: Record<string, string>): Promise<Response> =>
  fetch(app.baseUrl + new URL(url).pathname, {
    method: 'POST',
    body: new URLSearchParams({ name: 'Grace' }),
    redirect: 'manual',
    headers,
  });
const bindings = (...ids: string[]) => ids.map((team_id) => ({ team_id }));

describe('an invite', () => {
  test('is created, listed with its maker, and sent again for a second request', async () => {
    expect((await ask('grace@example.com')).body).toEqual({ status: 'invite_created' });
    const [made] = await invites();
    expect(made).toEqual({
      id: expect.any(String),
      email: 'grace@example.com',
      invited_at: expect.any(String),
      resent_at: null,
      creator: { type: 'management_key' },
      role: 'org_admin',
      team_role_bindings: null,
    });
    expect((await ask('Grace@Example.com')).body).toEqual({ status: 'invite_resent' });
    expect(await invites()).toEqual([{ ...made, resent_at: expect.any(String) }]);
  });

  test('with another role or other teams conflicts with the open one, which stays unchanged', async () => {
    await ask('grace@example.com', { role: 'team_admin', team_role_bindings: bindings(team.id) });
    for (const other of [{}, { role: 'no_role' }]) {
      const { status, body } = await refused('grace@example.com', other);
      expect([status, body.code]).toEqual([409, 'invite_conflict']);
    }
    const [stored] = await invites();
    expect(stored).toMatchObject({ role: 'team_admin', team_role_bindings: bindings(team.id) });
    const same = { role: 'team_admin', team_role_bindings: bindings(team.id, team.id) };
    expect((await ask('grace@example.com', same)).body.status).toBe('invite_resent');
  });

  test('needs teams of the organisation for a team_admin, and none for other roles', async () => {
    const outsider = await app.makeTeam();
    const unknown = await refused('grace@example.com', {
      role: 'team_admin',
      team_role_bindings: bindings(outsider.id),
    });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found']);
    for (const wrong of [{ role: 'team_admin' }, { role: 'no_role', team_role_bindings: bindings(team.id) }]) {
      const { status, body } = await team.api<Problems>('POST', invitePath(team), {
        email: 'grace@example.com',
        ...wrong,
      });
      expect([status, body.detail[0]?.loc]).toEqual([422, ['body', 'team_role_bindings']]);
    }
    expect(await invites()).toEqual([]);
  });

  test("for a member's address creates no invite", async () => {
    await makeMember(app, team, { name: 'Grace Hopper', email: 'grace@example.com' });
    expect((await ask('GRACE@example.com')).body).toEqual({ status: 'already_in_org' });
    expect(await invites()).toEqual([]);
  });

  test('that is deleted has no working link, and its address is erased', async () => {
    const made = await invite(team, 'withdrawn@example.com');
    const link = linkOf(made);
    expect((await open(link)).status).toBe(200);
    expect((await team.api('DELETE', invitePath(team, made.id))).body).toEqual({ success: true });
    expect((await open(link)).status).toBe(403);
    expect((await accept(app, link, 'Grace')).status).toBe(403);
    expect(await findTraces(app, ['withdrawn@example.com'])).toEqual([]);
    expect((await team.api<Refusal>('DELETE', invitePath(team, made.id))).status).toBe(404);
  });

  test('is found by whole words of its address', async () => {
    await ask('grace.hopper@example.com');
    await ask('ada@example.org');
    const found = async (words: string) => (await invites(`?search_query=${words}`)).map(({ email }) => email);
    expect(await found('HOPPER')).toEqual(['grace.hopper@example.com']);
    expect(await found('grace.hopper@example.com')).toEqual(['grace.hopper@example.com']);
    expect(await found('hop')).toEqual([]);
    expect(await found('')).toHaveLength(2);
  });
});

describe('the page of an invite', () => {
  test('shows the organisation and the rights, changes nothing when opened, and makes a member when sent', async () => {
    const made = await invite(team, 'grace@example.com', { role: 'team_admin', team_role_bindings: bindings(team.id) });
    const link = linkOf(made);
    for (let n = 0; n < 2; n += 1) {
      const page = await open(link);
      const text = await page.text();
      expect(page.status).toBe(200);
      for (const words of [
        'Join Desert Health &amp; Sons',
        'invites grace@example.com',
        'You will manage these teams:',
        '<form method="post">',
      ])
        expect(text).toContain(words);
      expect(page.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; .*form-action 'self'; frame-ancestors 'none'$/,
      );
      expect(text).not.toContain('<script');
    }
    expect(await members()).toEqual([]);
    const accepted = await accept(app, link, '  Grace Hopper ');
    expect([accepted.status, (await accepted.text()).includes('You belong to Desert Health &amp; Sons now')]).toEqual([
      200,
      true,
    ]);
    expect(await members()).toEqual([
      {
        id: expect.any(String),
        name: 'Grace Hopper',
        email: 'grace@example.com',
        created_on: expect.any(String),
        role: 'team_admin',
        team_role_bindings: bindings(team.id),
      },
    ]);
    expect(await invites()).toEqual([]);
    for (const again of [await open(link), await accept(app, link, 'Somebody else')]) {
      expect(again.status).toBe(200);
      expect(await again.text()).toContain('You belong to Desert Health &amp; Sons already');
    }
    const [member] = await members();
    expect([member?.name, (await members()).length]).toEqual(['Grace Hopper', 1]);
    await team.api('DELETE', memberPath(team, member?.id));
    expect((await open(link)).status).toBe(403);
  });

  test('works for an organisation with an empty name, and reports an invalid name', async () => {
    const wrong = await team.api<Problems>('PATCH', `/v1/org/${team.org_id}`, { name: 'St. Mary' });
    expect(wrong.body.detail[0]?.msg).toContain('letters, digits, spaces and ');
    expect((await team.api('PATCH', `/v1/org/${team.org_id}`, { name: '' })).status).toBe(200);
    const text = await (await open(linkOf(await invite(team, 'grace@example.com')))).text();
    expect(text).toContain('Join an organisation');
    expect(text).toContain('An organisation invites grace@example.com');
  });

  test.each(['', '   ', '--', 'x'.repeat(101), 'Grace\u202eHopper'])(
    'asks again for the invalid name %j',
    async (name) => {
      const link = linkOf(await invite(team, 'grace@example.com'));
      const page = await accept(app, link, name);
      expect([page.status, (await page.text()).includes('Enter your name')]).toEqual([200, true]);
      expect(await members()).toEqual([]);
    },
  );

  test('signs in the browser that sent its form, and leads it to the dashboard', async () => {
    const link = linkOf(await invite(team, 'grace@example.com'));
    const sent = await sendForm(link, { accept: BROWSER, 'sec-fetch-site': 'same-origin' });
    expect([sent.status, sent.headers.get('location')]).toEqual([302, '/dashboard']);
    const token = /phial_session=(ss_\w+); Path=\/; .*HttpOnly; SameSite=Lax/.exec(
      sent.headers.get('set-cookie') ?? '',
    );
    const { shown } = await openSession(app, token?.[1] ?? '');
    const [member] = await members();
    expect([shown.person.member_id, shown.person.name, shown.org.id]).toEqual([member?.id, 'Grace', team.org_id]);
    await app.flushAudit();
    const line = await app.db
      .selectFrom('audit_log')
      .select(['actor', 'action', 'key_id', 'person_id', 'org_id', 'records'])
      .where('request_id', '=', sent.headers.get('x-request-id'))
      .executeTakeFirst();
    expect(line).toEqual({
      actor: 'session',
      action: 'accept_invite',
      key_id: shown.session.id,
      person_id: member?.id,
      org_id: team.org_id,
      records: [member?.id],
    });
    const again = await sendForm(link, { accept: BROWSER });
    expect([again.status, again.headers.get('set-cookie')]).toEqual([200, null]);
    expect(await again.text()).toContain('<a href="/dashboard">');
  });

  test.each([
    ['a program', { accept: '*/*' }],
    ['the form of another site', { accept: BROWSER, 'sec-fetch-site': 'cross-site' }],
  ])('signs nobody in for %s', async (_, headers) => {
    const sent = await sendForm(linkOf(await invite(team, 'grace@example.com')), headers);
    expect([sent.status, sent.headers.get('set-cookie')]).toEqual([200, null]);
    expect(await sent.text()).toContain('You belong to');
    expect(await members()).toHaveLength(1);
  });

  test('accepts only a form, and only a small one', async () => {
    const link = linkOf(await invite(team, 'grace@example.com'));
    const path = app.baseUrl + new URL(link).pathname;
    const json = await fetch(path, {
      method: 'POST',
      body: '{"name":"Grace"}',
      headers: { 'content-type': 'application/json' },
    });
    expect(json.status).toBe(415);
    expect((await accept(app, link, 'x'.repeat(20_000))).status).toBe(413);
    expect(await members()).toEqual([]);
  });

  test('opens only with a link of this organisation, kind, invite and time', async () => {
    const { id } = await invite(team, 'grace@example.com');
    const other = await app.makeTeam();
    const expires = Math.floor(Date.now() / 1000) + 60;
    const tokens = [
      signToken(app.ctx.cipher, 'invite', { team_id: other.org_id, id, expires }),
      signToken(app.ctx.cipher, 'invite', { team_id: team.id, id, expires }),
      signToken(app.ctx.cipher, 'portal', { team_id: team.org_id, id, expires }),
      signToken(app.ctx.cipher, 'invite', { team_id: team.org_id, id: randomUUID(), expires }),
      signToken(app.ctx.cipher, 'invite', { team_id: team.org_id, id, expires: expires - 3_600 }),
    ];
    for (const token of tokens) {
      const page = await fetch(`${app.baseUrl}/documents/invite/${token}`);
      expect([page.status, page.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8']);
      expect((await accept(app, `/documents/invite/${token}`, 'Grace')).status).toBe(403);
    }
    const good = signToken(app.ctx.cipher, 'invite', { team_id: team.org_id, id, expires });
    expect((await fetch(`${app.baseUrl}/documents/invite/${good}`)).status).toBe(200);
  });

  test('makes one member when it is sent twice at once, and refuses neither', async () => {
    const link = linkOf(await invite(team, 'grace@example.com'));
    const answers = await Promise.all([accept(app, link, 'Grace'), accept(app, link, 'Grace')]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(texts.filter((text) => text.includes('already'))).toHaveLength(1);
    expect(await members()).toHaveLength(1);
  });

  test('writes an audit line with the invite and without its link', async () => {
    const made = await invite(team, 'grace@example.com');
    const answer = await accept(app, linkOf(made), 'Grace');
    await app.flushAudit();
    const lines = await app.db
      .selectFrom('audit_log')
      .select(['actor', 'action', 'status', 'org_id', 'team_id', 'records'])
      .where('request_id', '=', answer.headers.get('x-request-id'))
      .execute();
    expect(lines).toEqual([
      {
        actor: 'signed_link',
        action: 'accept_invite',
        status: 200,
        org_id: team.org_id,
        team_id: null,
        records: [made.id],
      },
    ]);
  });
});

describe('a member', () => {
  test('is stored sealed, and found by whole words of name and address', async () => {
    await makeMember(app, team, { name: 'Gráce Quailbrush', email: 'g.quailbrush@example.com' });
    await makeMember(app, team, { name: 'Ada', email: 'ada@example.com' });
    expect(await findTraces(app, ['Quailbrush'], 'stored')).toEqual([]);
    const found = async (words: string) =>
      (await members(`?search_query=${encodeURIComponent(words)}`)).map(({ name }) => name);
    expect(await found('grace quailbrush')).toEqual(['Gráce Quailbrush']);
    expect(await found('g.quailbrush@example.com')).toEqual(['Gráce Quailbrush']);
    expect(await found('grace ada')).toEqual([]);
    expect(await found('example')).toHaveLength(2);
  });

  test('gets a new role and teams, if they belong together', async () => {
    const second = await createTeam(app.ctx, { org_id: team.org_id, name: 'Second' });
    const { id } = await makeMember(app, team, { name: 'Grace', email: 'grace@example.com' });
    const patch = (role: string | null, team_role_bindings: object[] | null) =>
      team.api<Refusal & { success?: boolean }>('PATCH', memberPath(team, id), { role, team_role_bindings });
    const now = async () => (await members()).map(({ role, team_role_bindings }) => [role, team_role_bindings]);
    expect((await patch('team_admin', null)).body.code).toBe('role_bindings_mismatch');
    expect((await patch(null, bindings(team.id))).body.code).toBe('role_bindings_mismatch');
    const contradiction = await patch('org_admin', bindings(team.id));
    expect([contradiction.status, contradiction.body]).toMatchObject([
      422,
      { detail: [{ loc: ['body', 'team_role_bindings'], msg: 'Only a team_admin can be bound to teams' }] },
    ]);
    expect((await patch('team_admin', bindings(team.id, second.id, team.id))).body).toEqual({ success: true });
    expect(await now()).toEqual([['team_admin', bindings(team.id, second.id)]]);
    await patch(null, bindings(second.id));
    expect(await now()).toEqual([['team_admin', bindings(second.id)]]);
    await patch(null, null);
    expect(await now()).toEqual([['team_admin', bindings(second.id)]]);
    await patch('no_role', null);
    expect(await now()).toEqual([['no_role', null]]);
    expect((await patch('team_admin', bindings((await app.makeTeam()).id))).status).toBe(404);
    const incomplete = await team.api<Problems>('PATCH', memberPath(team, id), { role: 'org_admin' });
    expect([incomplete.status, incomplete.body.detail[0]?.loc]).toEqual([422, ['body', 'team_role_bindings']]);
  });

  test('that is removed leaves neither name nor address, and can be invited again', async () => {
    const { id } = await makeMember(app, team, { name: 'Ottoline Leaving', email: 'leaving@example.com' });
    expect((await team.api('DELETE', memberPath(team, id))).body).toEqual({ success: true });
    expect(await findTraces(app, ['Ottoline', 'leaving@example.com'])).toEqual([]);
    expect((await team.api('DELETE', memberPath(team, id))).status).toBe(404);
    expect((await ask('leaving@example.com')).body.status).toBe('invite_created');
  });

  test('of a deleted team keeps the other teams, and without any has no role', async () => {
    const second = await createTeam(app.ctx, { org_id: team.org_id, name: 'Second' });
    const both = { role: 'team_admin', team_role_bindings: bindings(team.id, second.id) };
    const one = { role: 'team_admin', team_role_bindings: bindings(second.id) };
    await makeMember(app, team, { name: 'Both', email: 'both@example.com', ...both });
    await makeMember(app, team, { name: 'One', email: 'one@example.com', ...one });
    await invite(team, 'invited@example.com', one);
    await team.api('DELETE', `/v1/org/${team.org_id}/team/${second.id}`);
    await app.runJobs();
    expect((await members()).map(({ name, role, team_role_bindings }) => [name, role, team_role_bindings])).toEqual([
      ['Both', 'team_admin', bindings(team.id)],
      ['One', 'no_role', null],
    ]);
    expect(await invites()).toMatchObject([{ role: 'no_role', team_role_bindings: null }]);
    const page = await (await open(linkOf((await invites())[0] as Invite))).text();
    expect(page).toContain('without any rights yet');
  });

  test('of another organisation can have the same address', async () => {
    const other = await app.makeTeam();
    await makeMember(app, team, { name: 'Grace', email: 'grace@example.com' });
    const theirs = await makeMember(app, other, { name: 'Grace', email: 'grace@example.com' });
    expect((await members()).map(({ id }) => id)).not.toContain(theirs.id);
    for (const method of ['PATCH', 'DELETE'] as const) {
      const body = method === 'PATCH' ? { role: 'no_role', team_role_bindings: null } : undefined;
      expect((await team.api(method, memberPath(team, theirs.id), body)).status).toBe(404);
    }
  });
});

test('each page of members and invites continues where the last one ended', async () => {
  for (let n = 0; n < 52; n += 1) await ask(`person${n}@example.com`);
  const first = await team.api<{ invites: Invite[]; next_cursor: string }>('GET', invitePath(team));
  const rest = await team.api<{ invites: Invite[]; next_cursor: null }>(
    'GET',
    `${invitePath(team)}?next_cursor=${first.body.next_cursor}`,
  );
  expect([first.body.invites.length, rest.body.invites.map(({ email }) => email), rest.body.next_cursor]).toEqual([
    50,
    ['person50@example.com', 'person51@example.com'],
    null,
  ]);
  const wrong = await team.api<Refusal>('GET', `${memberPath(team)}?next_cursor=nonsense`);
  expect([wrong.status, wrong.body.code]).toEqual([422, 'invalid_cursor']);
});

test('members and open invites share a limit, also for two invites at once', async () => {
  const small = await startTestApp({ PHIAL_MEMBERS_PER_ORG: '2' }, { databaseUrl: app.databaseUrl });
  try {
    await makeMember(app, team, { name: 'Grace', email: 'grace@example.com' });
    const send = (email: string, role = 'org_admin') =>
      fetch(`${small.baseUrl}${invitePath(team)}`, {
        method: 'POST',
        headers: { 'x-management-key': team.management_key, 'content-type': 'application/json' },
        body: JSON.stringify({ email, role }),
      });
    let second: Promise<Response> | undefined;
    await app.db.transaction().execute(async (db) => {
      const ctx = { ...small.ctx, db };
      const key = { id: randomUUID(), role: 'org_admin', team_ids: null } as const;
      const manager = { ...ctx, org: { id: team.org_id, plan: 'scale' }, key } as never;
      await createInvite(manager, 'one@example.com', { role: 'no_role', team_ids: null });
      second = send('two@example.com');
      await untilBlocked(app.db);
    });
    const answer = (await second) as Response;
    expect([answer.status, await answer.json()]).toMatchObject([403, { code: 'limit_reached', limit: 2 }]);
    // The open invite already counts toward the limit.
    expect((await send('one@example.com', 'no_role')).status).toBe(200);
  } finally {
    await small.close();
  }
});
