import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type Team, type TestApp } from '../../../../test/test-app.ts';
import { linkTokenOf, makeUser } from '../../../../test/factories.ts';
import { startProvider, type Provider } from '../../../../test/provider.ts';

type Requirement = { provider: string; team_id: string; user_must_grant: string[]; user_may_grant: string[] };

/** Scopes of Oura that bring data, and the scope for the identity of the user. */
const OF_DATA = ['daily', 'heartrate', 'workout', 'spo2', 'heart_health'];

let provider: Provider;
let app: TestApp;
let team: Team;
beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp({ ...provider.env('oura'), ...provider.env('whoop_v2') });
});
beforeEach(async () => {
  team = await app.makeTeam();
  provider.grant(null);
  provider.expectScopes(null);
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

const pathOf = ({ org_id, id }: Team): string => `/v1/org/${org_id}/team/${id}/scope_requirements`;
const list = async (query = ''): Promise<Requirement[]> =>
  (await team.api<{ requirements: Requirement[] }>('GET', `${pathOf(team)}${query}`)).body.requirements;
const set = (body: object): Promise<Answer<{ requirements: Requirement[]; detail: { loc: unknown[] }[] }>> =>
  team.api('POST', pathOf(team), body);

/** Opens an address like a browser that keeps its cookie and does not follow redirects. */
async function open(url: string, cookie = ''): Promise<{ location: URL; cookie: string }> {
  const at = url.startsWith('http') ? url : app.baseUrl + url;
  const response = await fetch(at, { headers: cookie === '' ? {} : { cookie }, redirect: 'manual' });
  const set = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
  return { location: new URL(response.headers.get('location') ?? 'about:blank'), cookie: set };
}

/** Connects a new user: returns the scopes that were asked for, and the outcome. */
async function connect(slug: string): Promise<{ asked: string[]; outcome: string | null; connected: number }> {
  const { user_id } = await makeUser(team);
  const { link_token } = await linkTokenOf(team, user_id);
  const left = await open(`/v2/link/oauth/${slug}/start?token=${link_token}`);
  const back = (await open(left.location.href)).location;
  const end = (await open(back.pathname + back.search, left.cookie)).location.searchParams;
  const { body } = await team.api<{ providers: unknown[] }>('GET', `/v2/user/providers/${user_id}`);
  return {
    asked: left.location.searchParams.get('scope')?.split(' ') ?? [],
    outcome: end.get('error_type') ?? end.get('state'),
    connected: body.providers.length,
  };
}

describe('the scopes that a team asks its users for', () => {
  test('are those that it has chosen and those that a connection needs to last', async () => {
    const usual = (await connect('whoop_v2')).asked;
    expect(usual).toContain('read:cycles');
    const { body } = await set({
      whoop_v2: { user_must_grant: ['read:sleep', 'read:recovery'], user_may_grant: ['read:workout'] },
      oura: { user_must_grant: [], user_may_grant: ['daily'] },
      strava: null,
    });
    expect(body.requirements).toEqual([
      { team_id: team.id, provider: 'oura', user_must_grant: [], user_may_grant: ['daily'] },
      {
        team_id: team.id,
        provider: 'whoop_v2',
        user_must_grant: ['read:sleep', 'read:recovery'],
        user_may_grant: ['read:workout'],
      },
    ]);
    const wanted = ['offline', 'read:profile', 'read:sleep', 'read:recovery', 'read:workout'];
    provider.expectScopes(wanted);
    expect((await connect('whoop_v2')).asked).toEqual(wanted);
    provider.expectScopes(['personal', 'daily']);
    expect((await connect('oura')).asked).toEqual(['personal', 'daily']);
    expect(await list('?provider=oura')).toEqual([body.requirements[0]]);
    expect(await list('?provider=acme')).toEqual([]);
  });

  test('can be every scope of Oura, and only named scopes are asked for', async () => {
    expect((await connect('oura')).asked).toEqual(['personal', ...OF_DATA]);
    for (const scope of ['email', 'tag', 'session', ...OF_DATA]) {
      await set({ oura: { user_must_grant: [], user_may_grant: [scope] } });
      provider.expectScopes(['personal', scope]);
      expect((await connect('oura')).asked).toEqual(['personal', scope]);
    }
  });

  test('are required or optional as chosen', async () => {
    await set({ oura: { user_must_grant: ['daily'], user_may_grant: ['workout'] } });
    provider.expectScopes(['personal', 'daily', 'workout']);
    provider.grant(['extapi:daily']);
    expect(await connect('oura')).toMatchObject({ outcome: 'success', connected: 1 });
    provider.grant(['workout']);
    expect(await connect('oura')).toMatchObject({ outcome: 'required_scopes_not_granted', connected: 0 });
    await set({ oura: { user_must_grant: [], user_may_grant: ['workout'] } });
    provider.expectScopes(['personal', 'workout']);
    expect(await connect('oura')).toMatchObject({ outcome: 'success', connected: 1 });
  });

  test('stay when a provider is left out or null, and are the default scopes once none is chosen', async () => {
    await set({ oura: { user_must_grant: ['daily'], user_may_grant: [] } });
    await set({ whoop_v2: { user_must_grant: ['read:sleep'], user_may_grant: [] }, oura: null });
    expect((await list()).map(({ provider: slug }) => slug)).toEqual(['oura', 'whoop_v2']);
    await set({ oura: { user_must_grant: [], user_may_grant: [] } });
    expect((await list()).map(({ provider: slug }) => slug)).toEqual(['whoop_v2']);
    expect((await connect('oura')).asked).toContain('heartrate');
  });

  test('have to be scopes of the provider, and each problem names its path', async () => {
    const { status, body } = await set({
      oura: { user_must_grant: ['moods'], user_may_grant: ['daily', 'daily'] },
      strava: { user_must_grant: [] },
    });
    expect([status, body.detail.map(({ loc }) => loc)]).toEqual([
      422,
      [
        ['body', 'oura', 'user_must_grant', 0],
        ['body', 'oura', 'user_may_grant'],
        ['body', 'strava', 'user_may_grant'],
      ],
    ]);
    expect(await list()).toEqual([]);
  });
});
