import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type Team, type TestApp } from '../../../../test/test-app.ts';
import { eraseTeams } from '../../../../test/erase-deleted-teams.ts';
import { importConnection, makeUser } from '../../../../test/factories.ts';
import { createManagementKey } from '../../../tenancy/keys/create-management-key.ts';
import { createTeam } from '../../../tenancy/teams/create.ts';

type Days = { historical_days_to_pull: number; historical_days_to_pull_limit: number };
type PreferenceDays = { default: Days; resource_overrides: Record<string, Days> | null };
type Page = {
  data_pull_preferences: { team_id: string; providers: Record<string, PreferenceDays> }[];
  next_cursor: string | null;
};

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({
    PHIAL_OURA_CLIENT_ID: 'of-oura',
    PHIAL_OURA_CLIENT_SECRET: 'of-oura',
    PHIAL_OURA_BASE_URL: 'http://127.0.0.1:9',
  });
});
afterAll(() => app.close());

const pathOf = ({ org_id }: Team): string => `/v1/org/${org_id}/team_data_pull_preferences/sandbox/us`;
const list = async (team: Team, query = '', key?: string): Promise<Page> =>
  (await team.api<Page>('GET', `${pathOf(team)}?${query}`, undefined, key === undefined ? {} : { key })).body;
const choose = (team: Team, team_ids: string[], providers: object, key?: string): Promise<Answer<Page>> =>
  team.api<Page>('POST', pathOf(team), { team_ids, providers }, key === undefined ? {} : { key });
const days = (historical_days_to_pull: number): object => ({ historical_days_to_pull });
const withLimit = (historical_days_to_pull: number): Days => ({
  historical_days_to_pull,
  historical_days_to_pull_limit: 365,
});
const sibling = async ({ org_id }: Team): Promise<string> =>
  (await createTeam(app.ctx, { org_id, name: 'Mesa Clinic' })).id;

/** How many days back each resource of a new connection of the team begins. */
async function pulledDays(team: Team): Promise<Record<string, number>> {
  type Pulls = { data: { provider: Record<string, { pulled: Record<string, { range_start: string }> }> }[] };
  const { user_id } = await makeUser(team);
  await importConnection(team, user_id, { oauth_scopes: null }, 'oura');
  const { body } = await team.api<Pulls>('GET', `/v2/introspect/historical_pull?user_id=${user_id}`);
  const today = Date.parse(new Date().toISOString().slice(0, 10));
  const pulled = Object.entries(body.data[0]?.provider['oura']?.pulled ?? {});
  return Object.fromEntries(
    pulled.map(([resource, { range_start }]) => [
      resource,
      Math.max(0, Math.round((today - Date.parse(range_start)) / 86_400_000)),
    ]),
  );
}

describe('how far back the connections of a team begin', () => {
  test("is the team's choice by resource, and the default once the choice is removed", async () => {
    const team = await app.makeTeam();
    expect(new Set(Object.values(await pulledDays(team)))).toEqual(new Set([180]));
    const { body } = await choose(team, [team.id], {
      oura: { default: days(30), resource_overrides: { sleep: days(90), heartrate: days(0) } },
      strava: { default: days(7) },
    });
    expect(body).toEqual(await list(team));
    expect(body.data_pull_preferences).toEqual([
      {
        team_id: team.id,
        providers: {
          oura: {
            default: withLimit(30),
            resource_overrides: { sleep: withLimit(90), heartrate: withLimit(0) },
          },
          strava: { default: withLimit(7), resource_overrides: null },
        },
      },
    ]);
    expect(await pulledDays(team)).toMatchObject({ sleep: 90, activity: 30, heartrate: 0 });

    await choose(team, [team.id], { oura: { default: days(60), resource_overrides: null } });
    expect(await pulledDays(team)).toMatchObject({ sleep: 60, activity: 60, heartrate: 60 });
    const left = await team.api<Page>('DELETE', `${pathOf(team)}?team_id=${team.id}&provider=oura`);
    expect(Object.keys(left.body.data_pull_preferences[0]?.providers ?? {})).toEqual(['strava']);
    expect(await pulledDays(team)).toMatchObject({ sleep: 180, activity: 180 });
    await team.api('DELETE', `${pathOf(team)}?team_id=${team.id}`);
    expect(await list(team)).toEqual({ data_pull_preferences: [], next_cursor: null });
  });

  test('is set for several teams at once, and listed a page at a time, by team and by provider', async () => {
    const team = await app.makeTeam();
    const [second, third] = [await sibling(team), await sibling(team)];
    await choose(team, [team.id, second, third, second.toUpperCase()], { oura: { default: days(10) } });
    await choose(team, [third], { polar: { default: days(20) } });
    const first = await list(team, 'limit=2');
    const rest = await list(team, `limit=2&next_cursor=${first.next_cursor}`);
    const teams = (page: Page): string[] => page.data_pull_preferences.map(({ team_id }) => team_id);
    expect([teams(first), teams(rest), rest.next_cursor]).toEqual([[team.id, second], [third], null]);
    expect(teams(await list(team, 'provider=polar'))).toEqual([third]);
    expect(teams(await list(team, `team_id=${third}&team_id=${team.id}`))).toEqual([team.id, third]);
    expect(teams(await list(team, 'provider=withings'))).toEqual([]);
    expect(teams(await list(await app.makeTeam()))).toEqual([]);
  });

  test('can be read and set with a Team Management Key for its own teams only', async () => {
    const team = await app.makeTeam();
    const [second, third] = [await sibling(team), await sibling(team)];
    await choose(team, [team.id, second, third], { oura: { default: days(10) } });
    const bound = { org_id: team.org_id, label: 'bound', role: 'team_admin' as const, team_ids: [team.id, second] };
    const { value: key } = await createManagementKey(app.ctx, bound);
    const seen = await list(team, '', key);
    expect((await list(team, 'provider=none-of-these')).data_pull_preferences).toEqual([]);
    expect(seen.data_pull_preferences.map(({ team_id }) => team_id)).toEqual([team.id, second]);
    expect((await choose(team, [second], { oura: { default: days(11) } }, key)).status).toBe(200);
    const refused = [
      await choose(team, [second, third], { oura: { default: days(12) } }, key),
      await team.api<Page>('GET', `${pathOf(team)}?team_id=${third}`, undefined, { key }),
      await team.api<Page>('DELETE', `${pathOf(team)}?team_id=${second}&team_id=${third}`, undefined, { key }),
    ];
    for (const { status, body } of refused)
      expect([status, (body as unknown as { code: string }).code]).toEqual([403, 'insufficient_scope']);
    const left = (await list(team)).data_pull_preferences.map(({ providers }) => providers['oura']?.default);
    expect(left).toEqual([withLimit(10), withLimit(11), withLimit(10)]);
  });

  test('is erased with the team', async () => {
    const team = await app.makeTeam();
    const leaving = await sibling(team);
    await choose(team, [team.id, leaving], { oura: { default: days(10) } });
    await team.api('DELETE', `/v1/org/${team.org_id}/team/${leaving}`);
    expect((await list(team)).data_pull_preferences).toHaveLength(1);
    await eraseTeams(app.ctx);
    const rows = await app.db.selectFrom('data_pull_preferences').select('team_id').execute();
    expect(rows.map(({ team_id }) => team_id)).not.toContain(leaving);
  });

  test('leaves a line in the audit log that names every team', async () => {
    const team = await app.makeTeam();
    const second = await sibling(team);
    await choose(team, [team.id, second], { oura: { default: days(10) } });
    await team.api('DELETE', `${pathOf(team)}?team_id=${team.id}&team_id=${second}`);
    const lines = await app.db
      .selectFrom('audit_log')
      .select(['action', 'records'])
      .where('org_id', '=', team.org_id)
      .where('action', 'like', '%team_data_pull_preferences')
      .orderBy('id')
      .execute();
    expect(lines.map(({ action }) => action)).toEqual([
      'set_team_data_pull_preferences',
      'delete_team_data_pull_preferences',
    ]);
    for (const { records } of lines) expect(new Set(records)).toEqual(new Set([team.id, second]));
  });
});

test.each([
  ['an unknown provider', { acme: { default: days(1) } }, 'providers'],
  ['more days than can be chosen', { oura: { default: days(366) } }, 'historical_days_to_pull'],
  ['a negative number of days', { oura: { default: days(-1) } }, 'historical_days_to_pull'],
  ['an unknown resource', { oura: { default: days(1), resource_overrides: { mood: days(1) } } }, 'overrides'],
  ['no default', { oura: {} }, 'default'],
  ['nothing', {}, 'providers'],
])('%s is refused', async (_what, providers, path) => {
  const { status, body } = await choose(app.team, [app.team.id], providers);
  expect(status).toBe(422);
  expect(JSON.stringify((body as unknown as { detail: { loc: unknown }[] }).detail.map(({ loc }) => loc))).toContain(
    path,
  );
});
