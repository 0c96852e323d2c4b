// Commands of an operator beside the running service.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { query } from './global-setup.ts';
import { endPrograms } from './program.ts';
import { runHere } from './run-here.ts';
import { apiOf, startTestApp, type TestApp } from './test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(async () => {
  await app.close();
  await endPrograms();
});

test('an operator prints the links of open invites, by which people become members without mail', async () => {
  const { org_id, api: manage } = await app.makeTeam();
  for (const email of ['grace@example.com', 'ada@example.com'])
    await manage('POST', `/v1/org/${org_id}/invite`, { email });
  const { code, stdout } = await runHere(['org', 'invites', '--org', org_id], {
    env: { DATABASE_URL: app.databaseUrl, PHIAL_BASE_URL: app.baseUrl },
  });
  const shown = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; email: string; link: string });
  expect([code, shown.map(({ email }) => email)]).toEqual([0, ['grace@example.com', 'ada@example.com']]);
  const body = new URLSearchParams({ name: 'Grace' });
  expect((await fetch(shown[0]?.link as string, { method: 'POST', body })).status).toBe(200);
  const { body: page } = await manage<{ members: { email: string }[] }>('GET', `/v1/org/${org_id}/member`);
  expect(page.members.map(({ email }) => email)).toEqual(['grace@example.com']);
  expect(await commandsOf(org_id)).toMatchObject([
    { org_id, action: 'org invites', records: shown.map(({ id }) => id) },
  ]);
});

test("an operator lists, makes and revokes an organisation's management keys beside the running service", async () => {
  const env = { DATABASE_URL: app.databaseUrl };
  const { id: team_id, org_id, management_key } = await app.makeTeam();
  const run = (...words: string[]) => runHere(['org', 'keys', ...words, '--org', org_id], { env });
  const org = JSON.parse((await run('create', '--label', 'deploy')).stdout) as { id: string; key: string };
  const bound = JSON.parse((await run('create', '--label', 'clinic', '--team', team_id)).stdout) as typeof org;
  const listed = JSON.parse((await run('list')).stdout) as Record<string, unknown>[];
  expect(listed.map(({ label, role, key_prefix }) => [label, role, key_prefix])).toEqual([
    ['first key', 'org_admin', management_key.slice(0, 12)],
    ['deploy', 'org_admin', org.key.slice(0, 12)],
    ['clinic', 'team_admin', bound.key.slice(0, 12)],
  ]);
  const ask = async (key: string, path: string): Promise<number> =>
    (await apiOf(app.baseUrl, '', key)('GET', `/v1/org/${org_id}/${path}`)).status;
  expect(await ask(org.key, 'management_key')).toBe(200);
  expect(await ask(bound.key, 'management_key')).toBe(403);
  expect(await ask(bound.key, `team_api_keys/sandbox/us?team_id=${team_id}`)).toBe(200);
  for (const id of listed.map((key) => key['id'] as string)) expect((await run('revoke', '--key', id)).code).toBe(0);
  for (const key of [management_key, org.key, bound.key]) expect(await ask(key, 'management_key')).toBe(401);

  const line = { org_id, team_id: null, key_id: null, status: null };
  expect(await commandsOf(org_id)).toEqual([
    { ...line, action: 'org keys create', records: [org.id] },
    { ...line, action: 'org keys create', team_id, records: [bound.id] },
    ...listed.map(({ id }) => ({ ...line, action: 'org keys revoke', records: [id] })),
  ]);

  await query(env.DATABASE_URL, 'alter table audit_log add constraint broken check (action is null) not valid');
  const withoutLine = await run('create', '--label', 'never-made');
  await query(env.DATABASE_URL, 'alter table audit_log drop constraint broken');
  expect([withoutLine.code, withoutLine.stdout]).toEqual([1, '']);
  expect((await run('list')).stdout).not.toContain('never-made');

  const unknown = await runHere(['org', 'keys', 'list', '--org', team_id], { env });
  expect(unknown).toMatchObject({ code: 1, output: 'Phial cannot go on: Organisation not found.\n' });
});

/** The lines of commands in the audit log. */
const commandsOf = (org_id: string): Promise<unknown[]> =>
  query(
    app.databaseUrl,
    `select action, org_id, team_id, key_id, status, records from audit_log
      where actor = 'operator' and org_id = '${org_id}' order by id`,
  );
