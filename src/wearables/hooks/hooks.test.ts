// Shapes of https://developers.strava.com/docs/webhooks/ and
// https://cloud.ouraring.com/v2/docs#tag/Webhook-Subscription-Routes.
import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { hookOfOura, importConnection, makeUser, recipeOf } from '../../../test/factories.ts';
import { startProvider, type DataResponse, type DataRequest, type Provider } from '../../../test/provider.ts';
import { dropExpired } from './erase.ts';

let provider: Provider;
let app: TestApp;
let team: Team;
let user: { user_id: string };
let activities: Map<string, Record<string, unknown>>;
let play: (request: DataRequest) => DataResponse | undefined;

beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp({
    ...provider.env('strava'),
    ...provider.env('oura'),
    ...provider.env('withings'),
    ...provider.env('google_health'),
  });
});
afterAll(async () => {
  await app.close();
  await provider.close();
});
beforeEach(async () => {
  team = await app.makeTeam();
  user = await makeUser(team);
  activities = new Map([['101', run('101', 40)]]);
  play = answer;
  provider.play((request) => play(request));
});

const run = (id: string, daysAgo: number) => ({
  id: Number(id),
  name: 'Run',
  sport_type: 'Run',
  elapsed_time: 1_800,
  start_date: new Date(Date.now() - daysAgo * 86_400_000).toISOString(),
});

function answer({ path }: DataRequest): DataResponse | undefined {
  if (path.endsWith('/streams')) return undefined;
  const [, id] = /\/activities\/(\d+)$/.exec(path) ?? [];
  if (id) return activities.has(id) ? { json: activities.get(id) } : undefined;
  if (path.endsWith('/athlete')) return { json: { id: 1 } };
  return { json: path.includes('usercollection') ? { data: [], next_token: null } : [] };
}

const connectStrava = async (by: Team = team, who = user, owner = '134815') => {
  await importConnection(by, who.user_id, { provider_id: owner, oauth_scopes: null }, 'strava');
  await app.runJobs();
  provider.asked.length = 0;
};
/** The last part of the address for providers that do not sign. */
const tokenOf = (slug: string): string => createHmac('sha256', `secret-of-${slug}`).update('phial hooks').digest('hex');
/**
 * Sends a notification in the form of Strava. Without `secret` it has no signature, and goes to the address that only
 * Strava knows.
 */
const notify = (
  notification: object,
  { secret = null as string | null, at = Date.now(), token = tokenOf('strava') } = {},
) => {
  const raw = JSON.stringify({
    object_type: 'activity',
    aspect_type: 'update',
    owner_id: 134815,
    subscription_id: 1,
    event_time: 1_700_000_000,
    updates: {},
    ...notification,
  });
  const t = Math.floor(at / 1_000);
  const v1 = createHmac('sha256', secret ?? '')
    .update(`${t}.${raw}`)
    .digest('hex');
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (secret !== null) headers['x-strava-signature'] = `t=${t},v1=${v1}`;
  const path = secret === null ? `/v2/hooks/strava/${token}` : '/v2/hooks/strava';
  return team.api<{ received: boolean; code?: string }>('POST', path, undefined, {
    raw,
    headers,
    key: null,
  });
};
const idsOf = async (by: Team = team, who = user): Promise<unknown[]> => {
  const from = new Date(Date.now() - 50 * 86_400_000).toISOString().slice(0, 10);
  const path = `/v2/summary/workouts/${who.user_id}?start_date=${from}`;
  return (await by.api<{ workouts: { provider_id: string }[] }>('GET', path)).body.workouts.map(
    (each) => each.provider_id,
  );
};
const countInbox = async (): Promise<number> =>
  (await sql`select from inbox where team_id = ${team.id}`.execute(app.db)).rows.length;
/** Stores further notifications that differ from that of the team in their hashes only. */
const addToInbox = (many: number) =>
  sql`
    insert into inbox (user_id, provider, hash, team_id, resources, object_resource, object_id)
    select user_id, provider, convert_to('more ' || n, 'utf8'), team_id, resources, object_resource, object_id
      from inbox, generate_series(1, ${many}::integer) as n where team_id = ${team.id}`.execute(app.db);
/** The tests do not need the work of so many notifications or connections. Later tests would do it. */
const forgetJobs = () => sql`delete from graphile_worker._private_jobs`.execute(app.db);
const later = () => sql`update graphile_worker._private_jobs set run_at = now() where run_at > now()`.execute(app.db);

describe('a notification of Strava', () => {
  test('is answered at once, and the object that it names is pulled, however old it is', async () => {
    await connectStrava();
    const { status, body } = await notify({ object_id: 101, aspect_type: 'create' }, { secret: 'secret-of-strava' });
    expect([status, body, provider.asked]).toEqual([200, { received: true }, []]);
    await app.runJobs();
    expect(await idsOf()).toEqual(['101']);
  });

  test('that comes again causes no more work', async () => {
    await connectStrava();
    await notify({ object_id: 101 });
    await app.runJobs();
    const asked = provider.asked.length;
    await notify({ object_id: 101 });
    await app.runJobs();
    expect([await countInbox(), provider.asked.length]).toEqual([1, asked]);
  });

  test('of a deletion deletes only what the provider no longer has', async () => {
    activities.set('102', run('102', 39));
    await connectStrava();
    for (const object_id of [101, 102]) await notify({ object_id });
    await app.runJobs();
    expect(await idsOf()).toEqual(['101', '102']);
    activities.delete('101');
    // The deletion of 102 is false: the provider still has it.
    for (const object_id of [101, 102]) await notify({ object_id, aspect_type: 'delete' });
    await app.runJobs();
    expect(await idsOf()).toEqual(['102']);
  });

  test('of a revoked application puts the connection in error', async () => {
    await connectStrava();
    play = () => ({ status: 401, json: {} });
    await notify({ object_type: 'athlete', object_id: 134815, updates: { authorized: 'false' } });
    await app.runJobs();
    const { body } = await team.api<{ providers: { status: string; error_details: { error_type: string } }[] }>(
      'GET',
      `/v2/user/providers/${user.user_id}`,
    );
    expect(body.providers[0]).toMatchObject({
      status: 'error',
      error_details: { error_type: 'deregistered_per_provider' },
    });
  });

  test('waits for a poll that is under way and is worked on afterwards', async () => {
    await connectStrava();
    await sql`update polls set leased_until = now() + interval '1 minute' where user_id = ${user.user_id}`.execute(
      app.db,
    );
    await notify({ object_id: 101 });
    await app.runJobs();
    expect([await idsOf(), provider.asked]).toEqual([[], []]);
    await sql`update polls set leased_until = null where user_id = ${user.user_id}`.execute(app.db);
    await later();
    await app.runJobs();
    expect(await idsOf()).toEqual(['101']);
  });

  test.each([
    ['another secret', { secret: 'secret-of-nobody' }],
    ['an old time', { secret: 'secret-of-strava', at: Date.now() - 600_000 }],
    ['nothing, at a guessed address,', { token: 'guess' }],
  ])('signed with %s is refused', async (_, signed) => {
    await connectStrava();
    const { status, body } = await notify({ object_id: 101 }, signed);
    expect([status, body.code, await countInbox()]).toEqual([401, 'signature_refused', 0]);
  });

  test.each([
    ['about no user of ours', { owner_id: 999, object_id: 101 }],
    ['about nothing that is pulled', { object_type: 'segment', object_id: 101 }],
    ['with an invalid id', { object_id: '../../athlete' }],
    ['with other types', { object_id: { id: 101 }, owner_id: [134815] }],
  ])('%s is answered and not stored', async (_, notification) => {
    await connectStrava();
    expect((await notify(notification)).status).toBe(200);
    expect(await countInbox()).toBe(0);
  });

  test('is tried again while the provider is away', async () => {
    await connectStrava();
    play = () => ({ status: 503, json: {} });
    await notify({ object_id: 101 });
    await app.runJobs();
    expect(await idsOf()).toEqual([]);
    play = answer;
    await later();
    await app.runJobs();
    expect(await idsOf()).toEqual(['101']);
  });

  test('of a deletion waits as long as requests to the provider are deferred, and is worked on then', async () => {
    await connectStrava();
    await notify({ object_id: 101 });
    await app.runJobs();
    const other = await app.makeTeam();
    await sql`
      insert into provider_waits (provider, polls_until, past_until, answered_to, answered_at, probe_at)
      select 'strava', later, later, ${other.id}, now(),
        later from (select now() + interval '1 hour' as later) one`.execute(app.db);
    activities.delete('101');
    provider.asked.length = 0;
    await notify({ object_id: 101, aspect_type: 'delete' });
    for (let round = 1; round <= 9; round += 1) {
      await app.runJobs();
      await later();
    }
    expect([await idsOf(), provider.asked]).toEqual([['101'], []]);
    await sql`delete from provider_waits`.execute(app.db);
    await app.runJobs();
    expect(await idsOf()).toEqual([]);
  });

  test('reaches every team that has connected the account, and no other account', async () => {
    const other = await app.makeTeam();
    const [theirs, otherUser] = [await makeUser(other), await makeUser(other)];
    await connectStrava();
    await connectStrava(other, theirs);
    await connectStrava(other, otherUser, '7');
    await notify({ object_id: 101 });
    await app.runJobs();
    expect([await idsOf(), await idsOf(other, theirs), await idsOf(other, otherUser)]).toEqual([['101'], ['101'], []]);
  });

  test('is not stored when a hundred wait: polls bring the data', async () => {
    await connectStrava();
    await notify({ object_id: 101 });
    await addToInbox(97);
    for (let n = 0; n < 4; n += 1) await notify({ object_id: 101, event_time: n });
    expect(await countInbox()).toBe(100);
    await forgetJobs();
  });
});

describe('a notification of Oura', () => {
  const connectOura = async () => {
    await importConnection(team, user.user_id, { oauth_scopes: null }, 'oura');
    await app.runJobs();
    provider.asked.length = 0;
  };
  const notification = { data_type: 'workout', object_id: 'w-1' };

  test('causes a poll of what it names', async () => {
    await connectOura();
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    play = ({ path }) =>
      path.endsWith('/w-1')
        ? { json: { id: 'w-1' } }
        : path.endsWith('/workout')
          ? {
              json: {
                data: [
                  { id: 'w-1', activity: 'yoga', start_datetime: `${day}T08:00:00Z`, end_datetime: `${day}T09:00:00Z` },
                ],
              },
            }
          : { json: { data: [] } };
    expect((await hookOfOura(team, 'secret-of-oura', notification)).status).toBe(200);
    await app.runJobs();
    expect(await idsOf()).toEqual(['w-1']);
    expect(provider.asked.map(({ path }) => path.split('/').at(-1))).toEqual(['w-1', 'workout', 'heartrate']);
    play = ({ path }) => (path.endsWith('/w-1') ? undefined : { json: { data: [] } });
    await hookOfOura(team, 'secret-of-oura', { ...notification, event_type: 'delete' });
    await app.runJobs();
    expect(await idsOf()).toEqual([]);
  });

  test('of a deleted sleep deletes it, however old it is', async () => {
    const day = new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10);
    const night = {
      id: 's-1',
      day,
      type: 'long_sleep',
      bedtime_start: `${day}T00:00:00Z`,
      bedtime_end: `${day}T06:00:00Z`,
      total_sleep_duration: 20_000,
    };
    play = ({ path }) => ({ json: { data: path.endsWith('/usercollection/sleep') ? [night] : [] } });
    // An Oura account that no other user has. Otherwise notifications of other tests would be about this user as well.
    await importConnection(team, user.user_id, { provider_id: 'sleeper', oauth_scopes: null }, 'oura');
    await app.runJobs();
    const nights = async () =>
      (await team.api<{ sleep: unknown[] }>('GET', `/v2/summary/sleep/${user.user_id}?start_date=${day}`)).body.sleep;
    expect(await nights()).toHaveLength(1);
    play = ({ path }) => ({ json: path.endsWith('/s-1') ? { ...night, type: 'deleted' } : { data: [] } });
    await hookOfOura(team, 'secret-of-oura', { data_type: 'sleep', object_id: 's-1', user_id: 'sleeper' });
    await app.runJobs();
    expect(await nights()).toEqual([]);
  });

  test.each([
    ['does not answer', { status: 503, json: {} }],
    ['asks us to wait', { status: 429, json: {} }],
  ])('is tried again when the provider %s, up to the most tries', async (_, failure) => {
    await connectOura();
    play = ({ path }) =>
      path.endsWith('/w-1') ? { json: { id: 'w-1' } } : path.endsWith('/workout') ? failure : { json: { data: [] } };
    await hookOfOura(team, 'secret-of-oura', notification);
    const asked = (): number => provider.asked.filter(({ path }) => path.endsWith('/workout')).length;
    await app.runJobs();
    expect(asked()).toBe(1);
    for (let run = 2; run <= 10; run += 1) {
      await later();
      await app.runJobs();
    }
    expect(asked()).toBe(8);
    // The one that is not tried again does not count.
    await addToInbox(98);
    for (let n = 0; n < 4; n += 1)
      await hookOfOura(team, 'secret-of-oura', { ...notification, event_time: `again ${n}` });
    expect(await countInbox()).toBe(101);
    await forgetJobs();
  });

  test('that was signed before the retention time of the inbox is refused', async () => {
    await connectOura();
    const at = (days: number): number => Date.now() - days * 86_400_000;
    const seconds = (days: number): string => String(Math.floor(at(days) / 1_000));
    const milliseconds = (days: number): string => String(at(days));
    const text = (days: number): string => new Date(at(days)).toISOString();
    for (const write of [seconds, milliseconds, text]) {
      const statuses = [];
      for (const days of [0, 2, 4])
        statuses.push((await hookOfOura(team, 'secret-of-oura', notification, write(days))).status);
      expect(statuses).toEqual([200, 200, 401]);
    }
    expect((await hookOfOura(team, 'secret-of-oura', notification, 'yesterday')).status).toBe(401);
  });

  test('that is not signed with the secret is refused', async () => {
    await connectOura();
    expect((await hookOfOura(team, 'secret-of-strava', notification)).status).toBe(401);
    expect(await countInbox()).toBe(0);
  });
});

describe('a body with many notifications', () => {
  const secret = tokenOf('strava');
  const send = (raw: string, type = 'application/json') =>
    team.api<{ code?: string }>('POST', `/v2/hooks/strava/${secret}`, undefined, {
      raw,
      headers: { 'content-type': type },
      key: null,
    });
  const usersOf = async (by: Team, many: number): Promise<{ user_id: string }[]> => {
    const { rows } = await sql<{ user_id: string }>`
      insert into users (id, team_id, client_user_id)
      select gen_random_uuid(), ${by.id}, 'user ' || n from generate_series(1, ${many}::integer) as n
      returning id as user_id`.execute(app.db);
    return rows;
  };
  const connectAll = (by: Team, users: { user_id: string }[], ownerOf: (n: number) => string) =>
    by.api('POST', '/v2/link/bulk_import', {
      provider: 'strava',
      connections: users.map(({ user_id }, n) => ({
        ...recipeOf(user_id),
        provider_id: ownerOf(n),
        oauth_scopes: null,
      })),
      wait_for_completion: true,
    });
  const notification = (owner: string, more: object = {}) => ({
    object_type: 'activity',
    object_id: 101,
    owner_id: Number(owner),
    ...more,
  });

  test('reaches the user of one team, however many users of another team have stated the account', async () => {
    const hostile = await app.makeTeam();
    await connectAll(hostile, await usersOf(hostile, 250), () => '555');
    await connectAll(team, [user], () => '555');
    expect((await send(JSON.stringify(notification('555')))).status).toBe(200);
    const { rows } = await sql<{ many: number }>`
      select count(*)::integer as many from inbox where team_id = ${hostile.id}`.execute(app.db);
    expect([await countInbox(), rows[0]?.many]).toEqual([1, 5]);
    await forgetJobs();
  }, 30_000);

  test('is stored for 200 connections within the two seconds that a provider waits', async () => {
    const users = await usersOf(team, 200);
    await connectAll(team, users, (n) => String(1_000 + (n % 100)));
    const all = Array.from({ length: 100 }, (_, n) => notification(String(1_000 + n)));
    const raw = JSON.stringify([...all.slice(1), all[1]]);
    const begin = performance.now();
    expect((await send(raw)).status).toBe(200);
    // It takes 2.5 seconds with one transaction for each connection.
    expect(performance.now() - begin).toBeLessThan(1_000);
    expect(await countInbox()).toBe(198);
    const { rows } = await sql`select from graphile_worker.jobs where task_identifier = 'work_inbox'`.execute(app.db);
    expect(rows).toHaveLength(198);
    await send(raw);
    expect(await countInbox()).toBe(198);
    await forgetJobs();
  }, 30_000);

  test('adds only as many notifications as there is room for, up to a hundred', async () => {
    await connectStrava();
    const some = (from: number) =>
      JSON.stringify(Array.from({ length: 60 }, (_, n) => notification('134815', { event_time: from + n })));
    await send(some(0));
    await send(some(30));
    expect(await countInbox()).toBe(90);
    await send(some(90));
    expect(await countInbox()).toBe(100);
    await forgetJobs();
  });

  test.each([
    [25_000, 'application/json'],
    [25_000, 'application/x-www-form-urlencoded'],
    [8_000, 'application/json'],
  ])('nested %i deep is refused as %s, although it is genuine', async (depth, type) => {
    await connectStrava();
    const nested = '['.repeat(depth) + ']'.repeat(depth);
    const raw = JSON.stringify(notification('134815')).replace('}', `,"updates":${nested}}`);
    const { status, body } = await send(raw, type);
    expect([status, body.code, await countInbox()]).toEqual([422, 'validation_failed', 0]);
  });
});

describe('the address for notifications', () => {
  const get = (path: string) => team.api<Record<string, string>>('GET', `/v2/hooks/${path}`, undefined, { key: null });
  test('answers the challenge only of a subscription that the operator has made', async () => {
    expect(
      (await get(`strava?hub.mode=subscribe&hub.challenge=abc&hub.verify_token=${tokenOf('strava')}`)).body,
    ).toEqual({
      'hub.challenge': 'abc',
    });
    expect((await get(`oura?challenge=def&verification_token=${tokenOf('oura')}`)).body).toEqual({ challenge: 'def' });
    expect((await get('strava?hub.challenge=abc&hub.verify_token=guess')).status).toBe(401);
    expect((await get('strava?hub.challenge=abc')).status).toBe(401);
  });

  test('is closed for providers that send no notifications and for those that are not configured here', async () => {
    for (const slug of ['dexcom_v3', 'nobody', 'toString']) expect((await get(slug)).status).toBe(404);
  });

  test('refuses a request to an address that is not ours before the body has arrived', async () => {
    const { hostname, port } = new URL(app.baseUrl);
    const answers = ['strava/wrong', 'strava', 'withings'].map((path) => {
      const socket = connect(Number(port), hostname);
      const head = [`POST /v2/hooks/${path} HTTP/1.1`, 'host: x', 'content-type: application/json'];
      socket.write([...head, 'content-length: 1000', '', '{'].join('\r\n'));
      return text(socket);
    });
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1.1 401 .*signature_refused/s);
  }, 15_000);

  test('takes no more than 64 KiB', async () => {
    await connectStrava();
    expect((await notify({ object_id: 101, updates: 'x'.repeat(70_000) })).status).toBe(413);
  });

  test('forgets notifications after three days', async () => {
    await connectStrava();
    await notify({ object_id: 101 });
    await sql`update inbox set received_at = now() - interval '4 days'`.execute(app.db);
    await dropExpired({ ...app.ctx, db: app.db });
    expect(await countInbox()).toBe(0);
  });
});
