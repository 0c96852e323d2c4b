import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { untilBlocked } from '../../test/until-blocked.ts';
import { createTeam } from './teams/create.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ PHIAL_TEAMS_PER_ORG: '3', PHIAL_API_KEYS_PER_TEAM: '2' });
});
afterAll(() => app.close());

type LimitBody = { code: string; limit: number; id: string; detail: string };
const makeTeam = (key?: string) =>
  app.api<LimitBody>(
    'POST',
    `/v1/org/${app.team.org_id}/team`,
    { name: 'North', region: 'us' },
    key ? { headers: { 'x-idempotency-key': key } } : {},
  );

test('of two concurrent new teams, the second waits for the first and is refused at the limit', async () => {
  expect((await makeTeam()).status).toBe(200);
  let second: ReturnType<typeof makeTeam> | undefined;
  await app.db.transaction().execute(async (db) => {
    await createTeam({ ...app.ctx, db }, { org_id: app.team.org_id, name: 'South' });
    second = makeTeam('late');
    await untilBlocked(app.db);
  });
  const refused = await second;
  expect([refused?.status, refused?.body.code, refused?.body.limit]).toEqual([403, 'limit_reached', 3]);
  expect(refused?.body.detail).toBe(
    'An organisation may have at most 3 teams in this deployment. Remove one, or ask for a higher limit.',
  );
});

test('a limit_reached is not stored for its idempotency key, so a retry succeeds when there is room', async () => {
  expect((await makeTeam('again')).status).toBe(403);
  const south = await app.db.selectFrom('teams').select('id').where('name', '=', 'South').executeTakeFirstOrThrow();
  await app.api('DELETE', `/v1/org/${app.team.org_id}/team/${south.id}`);
  expect((await makeTeam('again')).status).toBe(200);
});

test('a team has a limit of valid API keys, and a revoked key makes room', async () => {
  const path = `/v1/org/${app.team.org_id}/team_api_keys/sandbox/us`;
  const make = () => app.api<LimitBody>('POST', path, { label: 'one more', team_id: app.team.id });
  const made = await make();
  expect(made.status).toBe(200);
  expect(await make()).toMatchObject({ status: 403, body: { code: 'limit_reached', limit: 2 } });
  await app.api('DELETE', `${path}?api_key_id=${made.body.id}`);
  expect((await make()).status).toBe(200);
});
