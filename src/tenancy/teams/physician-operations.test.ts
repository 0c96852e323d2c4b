import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readOrder, registeredKit } from '../../../test/factories.ts';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';

let app: TestApp;
let team: Team;
beforeAll(async () => {
  app = await startTestApp();
  team = app.team;
});
afterAll(() => app.close());

const path = (npi = '', of: Team = team): string =>
  `/v1/org/${of.org_id}/team/${of.id}/sandbox/physician${npi && `/${npi}`}`;
const [ana, ben] = ['1234567893', '1987654328'];
type Answered = { code: string; limit?: number };

test('an organisation adds, renames and removes the physicians of a team', async () => {
  const put = (npi: string, first_name: string, last_name: string) =>
    team.api<object>('PUT', path(npi), { first_name, last_name });
  expect((await put(ana, 'Ana', 'Ruiz')).body).toEqual({ npi: ana, first_name: 'Ana', last_name: 'Ruiz' });
  await put(ben, 'Ben', 'Abbott');
  await put(ana, 'Ana', 'Ruiz-Diaz');
  const listed = [
    { npi: ben, first_name: 'Ben', last_name: 'Abbott' },
    { npi: ana, first_name: 'Ana', last_name: 'Ruiz-Diaz' },
  ];
  expect((await team.api('GET', path())).body).toEqual(listed);
  expect((await team.api('GET', `/v2/team/${team.id}/physicians`)).body).toEqual(listed);
  expect((await team.api('DELETE', path(ben))).status).toBe(204);
  expect((await team.api('DELETE', path(ben))).status).toBe(404);
  expect((await team.api('GET', path())).body).toEqual([listed[1]]);
});

test('an order names a physician of the team, whatever letters the name has', async () => {
  const named = { first_name: 'Zoë-Ann', last_name: 'Łoś van der Berg' };
  expect((await team.api('PUT', path(ben), named)).body).toEqual({ ...named, npi: ben });
  const { body } = await team.api<object[]>('GET', `/v2/team/${team.id}/physicians`);
  const physician = body.find((each) => (each as { npi: string }).npi === ben) as object;
  const { id } = await registeredKit(team, { physician });
  expect((await readOrder(team, id)) as object).toMatchObject({ physician });
  await team.api('DELETE', path(ben));
});

test('a wrong NPI, a name without letters and the team of another organisation are refused', async () => {
  const body = { first_name: 'Ana', last_name: 'Ruiz' };
  expect((await team.api('PUT', path('1234567890'), body)).status).toBe(422);
  expect((await team.api('PUT', path(ana), { ...body, last_name: '' })).status).toBe(422);
  const other = await app.makeTeam();
  for (const [method, at] of [
    ['GET', path('', { ...team, id: other.id })],
    ['PUT', path(ana, { ...team, id: other.id })],
    ['DELETE', path(ana, { ...team, id: other.id })],
  ] as const)
    expect([method, (await team.api(method, at, method === 'PUT' ? body : undefined)).status]).toEqual([method, 404]);
});

test('a team has at most 1,000 physicians, and each of them can still be renamed', async () => {
  const full = await app.makeTeam();
  await sql`
    insert into physicians (team_id, npi, first_name, last_name)
    select ${full.id}, n::text, 'A', 'B' from generate_series(1, 999) as n`.execute(app.db);
  const put = (npi: string) => full.api<Answered>('PUT', path(npi, full), { first_name: 'Ana', last_name: 'Ruiz' });
  expect((await put(ana)).status).toBe(200);
  const refused = await put(ben);
  expect([refused.status, refused.body.code, refused.body.limit]).toEqual([403, 'limit_reached', 1_000]);
  expect((await put(ana)).status).toBe(200);
});
