import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { importConnection, makeUser, recipeOf } from '../../../test/factories.ts';
import { publishedTo } from '../../../test/publish-event.ts';
import { untilBlocked } from '../../../test/until-blocked.ts';
import { inTransaction } from '../../db/transaction.ts';
import { forTeam } from '../../tenancy/teams/team-scope.ts';
import { ensureConnection } from './connect.ts';
import { failConnection } from './fail.ts';
import { pauseAfterLastDay } from './pause-after-last-day.ts';
import type { TeamCtx } from '../../context.ts';

type Connection = {
  slug: string;
  status: string;
  created_on: string;
  external_user_id: string | null;
  error_details: Record<string, string> | null;
  resource_availability: Record<string, { status: string; scope_requirements: object | null }>;
};
type User = { user_id: string; client_user_id: string };

let app: TestApp;
let ctx: TeamCtx;
beforeAll(async () => {
  app = await startTestApp({ PHIAL_BASE_URL: 'https://phial.example.com' });
  ctx = forTeam(app.ctx, { id: app.team.id, org_id: app.team.org_id, settings: {} });
});
afterAll(() => app.close());

const connectionsOf = async ({ user_id }: User): Promise<Connection[]> =>
  (await app.api<{ providers: Connection[] }>('GET', `/v2/user/providers/${user_id}`)).body.providers;
const who = ({ user_id, client_user_id }: User) => ({ id: user_id, client_user_id });
/** The events about a user: type and data. */
const eventsOf = async ({ user_id }: User): Promise<{ event_type: string; data: Record<string, unknown> }[]> =>
  (await publishedTo(app, app.team))
    .filter((event) => event.user_id === user_id)
    .map(({ body }) => JSON.parse(body) as { event_type: string; data: Record<string, unknown> });
const typesOf = async (user: User): Promise<string[]> => (await eventsOf(user)).map(({ event_type }) => event_type);

describe('a connection', () => {
  test('is read with the resources that the granted scopes allow', async () => {
    const user = await makeUser(app.team);
    await importConnection(app.team, user.user_id, { oauth_scopes: ['daily'] });
    const [connection] = await connectionsOf(user);
    expect(connection).toMatchObject({
      name: 'Oura',
      slug: 'oura',
      logo: 'https://phial.example.com/logos/oura.svg',
      status: 'connected',
      external_user_id: 'external-4711',
      error_details: null,
    });
    expect(connection?.resource_availability['activity']).toEqual({
      status: 'available',
      scope_requirements: {
        user_granted: { required: ['daily'], optional: [] },
        user_denied: { required: [], optional: [] },
      },
    });
    expect(connection?.resource_availability['heartrate']).toMatchObject({
      status: 'unavailable',
      scope_requirements: { user_denied: { required: ['heartrate'] } },
    });
    // The granted scopes are enough for sleep, but not for all its fields.
    expect(connection?.resource_availability['sleep']).toMatchObject({
      status: 'available',
      scope_requirements: { user_denied: { required: [], optional: ['heartrate'] } },
    });
  });

  test('without known scopes counts as able to bring every resource', async () => {
    const user = await makeUser(app.team);
    await importConnection(app.team, user.user_id, { oauth_scopes: null });
    const [connection] = await connectionsOf(user);
    for (const each of Object.values(connection?.resource_availability ?? {}))
      expect(each).toEqual({ status: 'available', scope_requirements: null });
  });

  test('publishes an event when it is made, with its provider by both names and the granted scopes', async () => {
    const user = await makeUser(app.team);
    await importConnection(app.team, user.user_id);
    const provider = { name: 'Oura', slug: 'oura', logo: 'https://phial.example.com/logos/oura.svg' };
    expect(await eventsOf(user)).toMatchObject([
      {
        event_type: 'provider.connection.created',
        client_user_id: user.client_user_id,
        data: {
          user_id: user.user_id,
          provider,
          source: provider,
          external_user_id: 'external-4711',
          resource_availability: {
            activity: {
              status: 'available',
              scope_requirements: {
                user_granted: { required: ['daily'], optional: [] },
                user_denied: { required: [], optional: [] },
              },
            },
            heartrate: {
              status: 'unavailable',
              scope_requirements: {
                user_granted: { required: [], optional: [] },
                user_denied: { required: ['heartrate'], optional: [] },
              },
            },
          },
        },
      },
    ]);
  });

  test('that is made again keeps its creation time and publishes no second event', async () => {
    const user = await makeUser(app.team);
    await importConnection(app.team, user.user_id);
    const [before] = await connectionsOf(user);
    await importConnection(app.team, user.user_id, { provider_id: 'external-2' });
    const after = await connectionsOf(user);
    expect(after).toMatchObject([{ created_on: before?.created_on, external_user_id: 'external-2' }]);
    expect(await typesOf(user)).toEqual(['provider.connection.created']);
  });

  test('that fails shows the error, publishes one event, and works again when the user connects again', async () => {
    const user = await makeUser(app.team);
    await importConnection(app.team, user.user_id);
    const failure = { type: 'token_refresh_failed', details: 'invalid_grant' } as const;
    await failConnection(ctx, { user_id: user.user_id, provider: 'oura' }, failure);
    await failConnection(ctx, { user_id: user.user_id, provider: 'oura' }, failure);
    expect(await connectionsOf(user)).toMatchObject([
      {
        status: 'error',
        error_details: {
          error_type: 'token_refresh_failed',
          error_message: expect.stringContaining('connect it again'),
          errored_at: expect.any(String),
        },
      },
    ]);
    const events = await eventsOf(user);
    expect(events.map(({ event_type }) => event_type)).toEqual([
      'provider.connection.created',
      'provider.connection.error',
    ]);
    expect(events[1]?.data).toEqual({
      user_id: user.user_id,
      provider: 'oura',
      error_type: 'token_refresh_failed',
      message: expect.stringContaining('connect it again'),
      error_details: 'invalid_grant',
    });
    await importConnection(app.team, user.user_id);
    expect(await connectionsOf(user)).toMatchObject([{ status: 'connected', error_details: null }]);
    expect((await typesOf(user)).at(-1)).toBe('provider.connection.created');
  });

  test('ends by DELETE, once, and can be made anew', async () => {
    const user = await makeUser(app.team);
    await importConnection(app.team, user.user_id);
    const end = () => app.api<{ success: boolean; code: string }>('DELETE', `/v2/user/${user.user_id}/oura`);
    expect((await end()).body).toEqual({ success: true });
    expect(await connectionsOf(user)).toEqual([]);
    expect([(await end()).status, (await end()).body.code]).toEqual([404, 'not_found']);
    await importConnection(app.team, user.user_id);
    expect(await typesOf(user)).toEqual(['provider.connection.created', 'provider.connection.created']);
  });

  test('that ends while it is being made anew exists afterwards', async () => {
    const user = await makeUser(app.team);
    await importConnection(app.team, user.user_id);
    let making: ReturnType<typeof importConnection> | undefined;
    await app.db.transaction().execute(async (tx) => {
      await sql`select from connections where user_id = ${user.user_id} for update`.execute(tx);
      making = importConnection(app.team, user.user_id, { provider_id: 'external-anew' });
      await untilBlocked(app.db);
      await sql`delete from connections where user_id = ${user.user_id}`.execute(tx);
    });
    expect((await making)?.status).toBe(200);
    expect(await connectionsOf(user)).toMatchObject([{ external_user_id: 'external-anew' }]);
  });

  test.each([false, true])(
    'is paused after the last day, also when that day is set while it is made; made before: %s',
    async (again) => {
      const user = await makeUser(app.team);
      if (again) {
        await importConnection(app.team, user.user_id);
        await app.api('POST', '/v2/link/bulk_pause', { provider: 'oura', user_ids: [user.user_id] });
      }
      let making: ReturnType<typeof importConnection> | undefined;
      await app.db.transaction().execute(async (tx) => {
        await sql`update users set ingestion_end = '2026-01-01' where id = ${user.user_id}`.execute(tx);
        making = importConnection(app.team, user.user_id);
        await untilBlocked(app.db);
      });
      expect((await making)?.status).toBe(200);
      await sql`delete from pulls where user_id = ${user.user_id}`.execute(app.db);
      await pauseAfterLastDay(app.ctx);
      expect(await connectionsOf(user)).toMatchObject([{ status: 'paused' }]);
    },
  );

  test('is paused after the last day, also when that day is set before the connection commits', async () => {
    const user = await makeUser(app.team);
    let changing: ReturnType<typeof app.api> | undefined;
    await inTransaction(ctx, async (tx) => {
      await ensureConnection(tx, who(user), 'health_connect');
      changing = app.api('PATCH', `/v2/user/${user.user_id}`, { ingestion_end: '2026-01-01' });
      await untilBlocked(app.db);
    });
    expect((await changing)?.status).toBe(204);
    await pauseAfterLastDay(app.ctx);
    expect(await connectionsOf(user)).toMatchObject([{ status: 'paused' }]);
  });

  test('of a user who is scheduled for deletion is hidden, and unchanged when the user is restored', async () => {
    const user = await makeUser(app.team);
    await importConnection(app.team, user.user_id);
    await app.api('DELETE', `/v2/user/${user.user_id}`);
    const gone = await app.api<{ code: string }>('GET', `/v2/user/providers/${user.user_id}`);
    expect([gone.status, gone.body.code]).toEqual([404, 'user_scheduled_for_deletion']);
    expect((await importConnection(app.team, user.user_id)).body.user_ids_failed).toEqual([user.user_id]);
    const exported = await app.api<{ data: unknown[] }>('POST', '/v2/link/bulk_export', {
      provider: 'oura',
      user_ids: [user.user_id],
    });
    expect(exported.body.data).toEqual([]);
    await app.api('POST', `/v2/user/undo_delete?user_id=${user.user_id}`);
    expect(await connectionsOf(user)).toMatchObject([{ slug: 'oura', status: 'connected' }]);
  });
});

describe('a push', () => {
  test('connects a phone the first time and publishes an event; later pushes change nothing', async () => {
    const user = await makeUser(app.team);
    await ensureConnection(ctx, who(user), 'apple_health_kit');
    await ensureConnection(ctx, who(user), 'apple_health_kit');
    const [connection] = await connectionsOf(user);
    expect(connection).toMatchObject({ slug: 'apple_health_kit', status: 'connected', external_user_id: null });
    expect(connection?.resource_availability['steps']).toEqual({ status: 'available', scope_requirements: null });
    expect(await typesOf(user)).toEqual(['provider.connection.created']);
  });

  test('makes one connection and one event when two come at once', async () => {
    const user = await makeUser(app.team);
    let second: Promise<void> | undefined;
    await inTransaction(ctx, async (tx) => {
      await ensureConnection(tx, who(user), 'health_connect');
      second = ensureConnection(ctx, who(user), 'health_connect');
      await untilBlocked(app.db);
    });
    await second;
    expect(await typesOf(user)).toEqual(['provider.connection.created']);
  });

  test("makes no connection a week after the user's last day of ingestion: a paused one stays paused", async () => {
    const user = await makeUser(app.team);
    const dayFromNow = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    const push = async (days: number) => {
      const of = { resource: 'heartrate', provider: 'apple_health_kit', source_type: 'watch', unit: 'bpm' };
      const sample = { ...of, timestamp: `${dayFromNow(days)}T08:00:00Z`, value: 60 };
      return app.api<object>('POST', `/v2/timeseries/${user.user_id}/samples`, [sample]);
    };
    expect((await push(-20)).status).toBe(200);
    for (const [days, status] of [
      [-6, 'connected'],
      [-9, 'paused'],
    ] as const) {
      await app.api('PATCH', `/v2/user/${user.user_id}`, { ingestion_end: dayFromNow(days) });
      await pauseAfterLastDay(app.ctx);
      expect((await push(days - 5)).status).toBe(200);
      expect((await connectionsOf(user)).map((connection) => connection.status)).toEqual([status]);
    }
    expect((await typesOf(user)).filter((type) => type.startsWith('provider'))).toEqual([
      'provider.connection.created',
    ]);
  });

  test('of a provider with its own page makes no connection: there would be no token to pull with', async () => {
    const user = await makeUser(app.team);
    await ensureConnection(ctx, who(user), 'strava');
    expect(await connectionsOf(user)).toEqual([]);
  });
});

describe('a user', () => {
  test('is shown with its connections in every operation that returns users', async () => {
    const user = await makeUser(app.team);
    await importConnection(app.team, user.user_id);
    await importConnection(app.team, user.user_id, { provider_id: 's-1' }, 'strava');
    const provider = { name: 'Oura', slug: 'oura', logo: 'https://phial.example.com/logos/oura.svg' };
    const sources = [
      { provider, created_on: expect.any(String), source: provider },
      {
        provider: expect.objectContaining({ slug: 'strava' }),
        created_on: expect.any(String),
        source: expect.anything(),
      },
    ];
    const shown = { user_id: user.user_id, connected_sources: sources };
    expect((await app.api('GET', `/v2/user/${user.user_id}`)).body).toMatchObject(shown);
    expect((await app.api('GET', `/v2/user/resolve/${user.client_user_id}`)).body).toMatchObject(shown);
    const { body: found } = await app.api<object[]>('GET', `/v2/team/users/search?query_id=${user.user_id}`);
    expect(found).toMatchObject([shown]);
    const { body: listed } = await app.api<{ users: User[] }>('GET', '/v2/user?limit=500');
    expect(listed.users.find(({ user_id }) => user_id === user.user_id)).toMatchObject(shown);
  });
});

describe('the counts of a team', () => {
  test('include connections, errors and each week, without users who are scheduled for deletion', async () => {
    const team = await app.makeTeam();
    const scope = forTeam(app.ctx, { id: team.id, org_id: team.org_id, settings: {} });
    const [one, two, leaving] = [await makeUser(team), await makeUser(team), await makeUser(team)];
    for (const user of [one, two, leaving]) await importConnection(team, user.user_id);
    await importConnection(team, one.user_id, {}, 'strava');
    await sql`update connections set created_at = now() - interval '14 days' where user_id = ${one.user_id}
      and provider = 'oura'`.execute(app.db);
    await failConnection(scope, { user_id: two.user_id, provider: 'oura' }, { type: 'unknown', details: '' });
    await team.api('DELETE', `/v2/user/${leaving.user_id}`);
    const { body } = await team.api<{
      number_of_connected_sources_by_week: { date: string; value: number; all: number }[];
    }>('GET', '/v2/user/metrics');
    expect(body).toMatchObject({ number_of_connected_sources: 3, number_of_errored_connected_sources: 1 });
    const weeks = body.number_of_connected_sources_by_week;
    expect(weeks).toHaveLength(26);
    expect(weeks.slice(-4).map(({ value, all }) => [value, all])).toEqual([
      [0, 0],
      [1, 1],
      [0, 1],
      [2, 3],
    ]);
    expect(new Date(weeks.at(-1)?.date as string).getUTCDay()).toBe(1);
  });
});

test('tokens and the id at the provider are stored sealed', async () => {
  const user = await makeUser(app.team);
  await importConnection(app.team, user.user_id);
  const { rows } = await sql<{ row: string }>`
    select to_jsonb(c)::text as row from connections c where user_id = ${user.user_id}`.execute(app.db);
  const { access_token, refresh_token, provider_id } = recipeOf(user.user_id);
  for (const secret of [access_token, refresh_token, provider_id]) {
    expect(rows[0]?.row).not.toContain(Buffer.from(String(secret)).toString('hex'));
    expect(rows[0]?.row).not.toContain(secret);
  }
});
