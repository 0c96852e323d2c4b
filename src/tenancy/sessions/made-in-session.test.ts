// Tokens and links that a person makes end when the person loses the team, and not when the person signs out.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeUser, registeredKit } from '../../../test/factories.ts';
import { memberPath } from '../../../test/people-of-orgs.ts';
import { signInMember, signInOperator, type SignedIn } from '../../../test/signed-in.ts';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { createTeam } from '../teams/create.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

type Made = { token: string; code: string; link: string; userId: string };

async function makeAll({ api }: SignedIn, team: Team): Promise<Made> {
  const { user_id: userId } = await makeUser(team);
  const options = { team: team.id };
  const token = await api<{ sign_in_token: string }>('POST', `/v2/user/${userId}/sign_in_token`, undefined, options);
  const code = await api<{ code: string }>('POST', `/v2/link/code/create?user_id=${userId}`, undefined, options);
  const order = await registeredKit(team);
  const read = await api<{ requisition_form_url: string }>('GET', `/v3/order/${order.id}`, undefined, options);
  return { token: token.body.sign_in_token, code: code.body.code, link: read.body.requisition_form_url, userId };
}

const sample = {
  resource: 'heartrate',
  provider: 'apple_health_kit',
  source_type: 'watch',
  timestamp: '2026-01-05T07:30:00Z',
  unit: 'bpm',
  value: 61,
};

/** The statuses of a push with the token, of an exchange of the code, and of the link. */
async function use({ token, code, link, userId }: Made): Promise<number[]> {
  const headers = { authorization: `Bearer ${token}` };
  const pushed = await app.api('POST', `/v2/timeseries/${userId}/samples`, [sample], { key: null, headers });
  const exchanged = await app.api('POST', `/v2/link/code/exchange?code=${code}`, undefined, { key: null });
  return [pushed.status, exchanged.status, (await fetch(app.baseUrl + new URL(link).pathname)).status];
}

async function teamWhoseLinksEnd(): Promise<Team> {
  const team = await app.makeTeam();
  const path = `/v1/org/${team.org_id}/team/${team.id}`;
  await team.api('PATCH', path, { sandbox: { signed_links_end_with_key: true } });
  return team;
}

test('what a member made ends with the member, and with the right to the team', async () => {
  const team = await teamWhoseLinksEnd();
  const other = await createTeam(app.ctx, { org_id: team.org_id, name: 'Annex' });
  const [removed, moved, demoted] = [
    await signInMember(app, team),
    await signInMember(app, team, { role: 'team_admin', teams: [team.id] }),
    await signInMember(app, team),
  ];
  const made = [await makeAll(removed, team), await makeAll(moved, team), await makeAll(demoted, team)];
  const changes = [
    await team.api('DELETE', memberPath(team, removed.member.id)),
    await team.api('PATCH', memberPath(team, moved.member.id), {
      role: 'team_admin',
      team_role_bindings: [{ team_id: other.id }],
    }),
    await team.api('PATCH', memberPath(team, demoted.member.id), { role: 'no_role', team_role_bindings: null }),
  ];
  expect(changes.map(({ status }) => status < 300)).toEqual([true, true, true]);
  const used = [];
  for (const each of made) used.push(await use(each));
  expect(used).toEqual([
    [401, 400, 403],
    [401, 400, 403],
    [401, 400, 403],
  ]);
});

test('what a member made stays after a sign-out, and what the operator made ends with the session', async () => {
  const team = await teamWhoseLinksEnd();
  const people = [
    await signInMember(app, team, { role: 'team_admin', teams: [team.id] }),
    await signInOperator(app, team),
    await signInOperator(app, team),
  ];
  const [ada, operator, signedIn] = people as [SignedIn, SignedIn, SignedIn];
  const made = [await makeAll(ada, team), await makeAll(operator, team), await makeAll(signedIn, team)];
  await ada.api('DELETE', '/v1/session');
  await operator.api('DELETE', '/v1/session');
  const used = [];
  for (const each of made) used.push(await use(each));
  expect(used).toEqual([
    [200, 200, 200],
    [401, 400, 403],
    [200, 200, 200],
  ]);
});

test('links of a team without that choice stay for their seven days', async () => {
  const team = await app.makeTeam();
  const ada = await signInMember(app, team);
  const made = await makeAll(ada, team);
  await team.api('DELETE', memberPath(team, ada.member.id));
  expect(await use(made)).toEqual([401, 400, 200]);
});
