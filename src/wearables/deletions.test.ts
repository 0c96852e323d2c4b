import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/test-app.ts';
import { makeUser, pushSummaries, subscribe } from '../../test/factories.ts';
import { startEndpoint, type Endpoint } from '../../test/endpoint.ts';

let app: TestApp;
let team: Team;
let endpoint: Endpoint;
let user_id: string;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam();
  endpoint = await startEndpoint();
  await subscribe(team, endpoint, ['daily.data.*']);
  ({ user_id } = await makeUser(team));
  return () => endpoint.close();
});

type Webhook = {
  event_type: string;
  data: {
    id?: string;
    source?: { type: string };
    source_id?: number;
    version?: number;
    intervals?: { start: string; end: string }[];
  };
};
/** The webhooks that arrived since the last call. */
async function takeWebhooks(): Promise<Webhook[]> {
  await app.deliver();
  return endpoint.received.splice(0).map(({ body }) => body as unknown as Webhook);
}
const minute = (n: number): string => new Date(Date.UTC(2026, 0, 5, 7, n)).toISOString();
const heartRate = (n: number, more: object = {}) => ({
  resource: 'heartrate',
  provider: 'apple_health_kit',
  source_type: 'watch',
  timestamp: minute(n),
  unit: 'bpm',
  value: 60 + n,
  ...more,
});
const samplesPath = (of = user_id) => `/v2/timeseries/${of}/samples`;
const push = async (...samples: object[]): Promise<void> => {
  expect((await team.api('POST', samplesPath(), samples)).status).toBe(200);
};
type Deleted = { deleted: number; ids: string[]; detail: { loc: unknown[]; type: string }[]; code: string };
const remove = (deletions: object[], options = {}) => team.api<Deleted>('DELETE', samplesPath(), deletions, options);
/** Returns request options that authenticate as the user, not as the team. */
const asUser = async () => {
  const { body } = await team.api<{ sign_in_token: string }>('POST', `/v2/user/${user_id}/sign_in_token`);
  return { key: null, headers: { authorization: `Bearer ${body.sign_in_token}` } };
};
const minutesLeft = async (): Promise<number[]> => {
  const path = `/v2/timeseries/${user_id}/heartrate?start_date=2026-01-01`;
  return (await team.api<{ timestamp: string }[]>('GET', path)).body.map(({ timestamp }) =>
    Number(timestamp.slice(14, 16)),
  );
};
const watch = { resource: 'heartrate', provider: 'apple_health_kit', source_type: 'watch' };

describe('samples', () => {
  test('are deleted by records, times and intervals; the event has the intervals and a newer version', async () => {
    await push(
      ...[0, 1, 2, 3, 4, 5, 6, 7].map((n) => heartRate(n)),
      heartRate(8, { record_id: 'record-8' }),
      heartRate(9, { record_id: 'series-9' }),
      heartRate(10, { record_id: 'series-9' }),
      heartRate(2, { source_type: 'phone' }),
    );
    const created = (await takeWebhooks()).find(({ data }) => data.source?.type === 'watch')?.data as Webhook['data'];
    const { status, body } = await remove([
      { ...watch, timestamp: minute(0) },
      { ...watch, start: minute(2), end: '2026-01-05T07:05:00.000Z' },
      // Overlaps the range above. The end is minute 6, written with another offset.
      { ...watch, start: minute(4), end: '2026-01-05T00:06:00-07:00' },
      { provider: 'apple_health_kit', record_id: 'record-8' },
      { provider: 'apple_health_kit', record_id: 'series-9' },
      { provider: 'apple_health_kit', record_id: 'of nobody' },
      { provider: 'health_connect', record_id: 'record-8' },
    ]);
    expect([status, body]).toEqual([200, { deleted: 8 }]);
    expect(await minutesLeft()).toEqual([1, 2, 6, 7]);
    const [gone, ...others] = await takeWebhooks();
    expect(others).toEqual([]);
    const at = (n: number) => ({ start: minute(n), end: minute(n) });
    expect(gone).toMatchObject({
      event_type: 'daily.data.heartrate.deleted',
      origin: 'live',
      data: { source_id: created.source_id, source: { provider: 'apple_health_kit', type: 'watch' } },
    });
    expect(gone?.data.intervals).toEqual([at(0), { start: minute(2), end: minute(5) }, at(8), at(9), at(10)]);
    expect(gone?.data.version).toBeGreaterThan(created.version as number);
  });

  test('can be deleted again without an error and without an event', async () => {
    await push(heartRate(1));
    await remove([{ ...watch, timestamp: minute(1) }]);
    await takeWebhooks();
    expect((await remove([{ ...watch, timestamp: minute(1) }])).body).toEqual({ deleted: 0 });
    expect(await takeWebhooks()).toEqual([]);
  });

  test('belong to the newest record that they were pushed with, and are new after a deletion', async () => {
    await push(heartRate(1, { record_id: 'first' }));
    await push(heartRate(1, { record_id: 'second' }));
    expect((await remove([{ provider: 'apple_health_kit', record_id: 'first' }])).body).toEqual({ deleted: 0 });
    expect((await remove([{ provider: 'apple_health_kit', record_id: 'second' }])).body).toEqual({ deleted: 1 });
    await push(heartRate(1));
    // The last push had no record id. So the record `second` has no samples left.
    expect((await remove([{ provider: 'apple_health_kit', record_id: 'second' }])).body).toEqual({ deleted: 0 });
    expect((await takeWebhooks()).filter(({ event_type }) => event_type.endsWith('.created'))).toHaveLength(2);
  });

  test.each<[string, (uuid: string) => string, (uuid: string) => string]>([
    ['upper case by one in lower case', (uuid) => uuid.toUpperCase(), (uuid) => uuid],
    ['lower case by one in upper case', (uuid) => uuid, (uuid) => uuid.toUpperCase()],
  ])('are deleted when their record is a UUID in %s', async (_what, pushed, deleted) => {
    const uuid = 'aaaa0000-bbbb-4ccc-8ddd-eeee0000ffff';
    await push(heartRate(1, { record_id: pushed(uuid) }), heartRate(2, { record_id: 'Series-A' }));
    const provider = 'apple_health_kit';
    expect((await remove([{ provider, record_id: 'series-a' }])).body).toEqual({ deleted: 0 });
    expect((await remove([{ provider, record_id: deleted(uuid) }])).body).toEqual({ deleted: 1 });
    expect(await minutesLeft()).toEqual([2]);
  });

  test('are found by a record that is stored in upper case', async () => {
    const uuid = 'AAAA0000-BBBB-4CCC-8DDD-EEEE0000FFFF';
    const provider = 'apple_health_kit';
    await push(heartRate(1, { record_id: 'first' }));
    const record = app.ctx.cipher
      .lookupHash('sample_record', team.id, `${user_id} ${provider} ${uuid}`)
      .subarray(0, 16);
    await app.db.updateTable('sample_records').set({ record }).where('team_id', '=', team.id).execute();
    expect((await remove([{ provider, record_id: uuid.toLowerCase() }])).body).toEqual({ deleted: 1 });
  });

  test('that are pushed again without a record keep their record', async () => {
    await push(heartRate(1, { record_id: 'first' }));
    await push(heartRate(1, { value: 99 }));
    expect((await remove([{ provider: 'apple_health_kit', record_id: 'first' }])).body).toEqual({ deleted: 1 });
    expect(await minutesLeft()).toEqual([]);
  });

  test('of every device and kind are deleted where the deletion names none, notes with their texts', async () => {
    const note = { resource: 'note', provider: 'manual', source_type: 'app', unit: 'text', value: 'Two eggs' };
    await push(heartRate(1), heartRate(1, { source_type: 'phone' }), { ...note, start: minute(1), end: minute(2) });
    const all = { start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' };
    const { body } = await remove([
      { resource: 'heartrate', provider: 'apple_health_kit', ...all },
      { resource: 'note', provider: 'manual', ...all },
    ]);
    expect(body).toEqual({ deleted: 3 });
    expect(await minutesLeft()).toEqual([]);
    expect((await app.db.selectFrom('sample_notes').selectAll().where('team_id', '=', team.id).execute()).length).toBe(
      0,
    );
  });

  test('can be deleted by their own user and by no other user or team', async () => {
    await push(heartRate(1));
    const other = await makeUser(team);
    const deletion = [{ ...watch, timestamp: minute(1) }];
    const as = await asUser();
    expect((await team.api('DELETE', samplesPath(other.user_id), deletion, as)).status).toBe(404);
    const another = await app.makeTeam();
    expect((await another.api('DELETE', samplesPath(), deletion)).status).toBe(404);
    expect((await remove([{ ...watch, timestamp: minute(1) }], as)).body).toEqual({ deleted: 1 });
  });

  test('of a provider that we pull from cannot be deleted with a token of the user', async () => {
    await push(heartRate(1, { provider: 'oura', source_type: 'ring', record_id: 'ring-1' }));
    const deletions = [
      { provider: 'oura', resource: 'heartrate', timestamp: minute(1) },
      { provider: 'oura', record_id: 'ring-1' },
    ];
    const as = await asUser();
    for (const deletion of deletions) {
      const { status, body } = await remove([deletion], as);
      expect([status, body.code]).toEqual([403, 'provider_not_deletable']);
    }
    expect(await minutesLeft()).toEqual([1]);
    expect((await remove(deletions)).body).toEqual({ deleted: 1 });
  });

  test('are all left in place when one deletion matches too many', async () => {
    const at = (n: number) => ({
      ...heartRate(0),
      timestamp: new Date(Date.UTC(2026, 0, 5) + n * 1_000).toISOString(),
    });
    for (let from = 0; from < 25_000; from += 5_000)
      await push(...Array.from({ length: 5_000 }, (_, n) => at(from + n)));
    const { status, body } = await remove([{ ...watch, start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' }]);
    expect([status, body.code]).toEqual([400, 'too_many_samples']);
    const half = { ...watch, start: '2026-01-05T00:00:00Z', end: '2026-01-05T05:00:00Z' };
    expect((await remove([half])).body).toEqual({ deleted: 18_000 });
    const gone = (await takeWebhooks()).find(({ event_type }) => event_type.endsWith('.deleted'));
    expect(gone?.data.intervals).toEqual([{ start: '2026-01-05T00:00:00.000Z', end: '2026-01-05T04:59:59.000Z' }]);
  });

  test('are not searched when the deletion matches too many streams at too many times', async () => {
    const ige = { resource: 'ige', provider: 'manual', source_type: 'watch' };
    const at = (n: number) => new Date(Date.UTC(2026, 0, 5) + n * 60_000).toISOString();
    const allergen = (n: number) => ({ ...ige, timestamp: at(0), unit: 'FSU', value: 1, type: `allergen ${n}` });
    await push(...Array.from({ length: 499 }, (_, n) => allergen(n)));
    const { provider, resource } = ige;
    const times = (many: number) => Array.from({ length: many }, (_, n) => ({ provider, resource, timestamp: at(n) }));
    const refused = await remove(times(41));
    expect([refused.status, refused.body.code]).toEqual([400, 'too_many_matches']);
    expect((await remove(times(1_000))).status).toBe(400);
    const ofOne = times(1_000).map((each) => ({ ...each, type: 'allergen 0' }));
    expect((await remove(ofOne)).body).toEqual({ deleted: 1 });
    expect((await remove(times(40))).body).toEqual({ deleted: 498 });
  });

  test.each([
    ['neither an id nor times', { provider: 'oura' }, 'missing', 'record_id'],
    ['two kinds of selection at once', { ...watch, timestamp: minute(1), record_id: 'a' }, 'value_error', 'record_id'],
    ['a time without a series', { provider: 'oura', timestamp: minute(1) }, 'missing', 'resource'],
    ['a start without an end', { ...watch, start: minute(1) }, 'missing', 'end'],
    ['an end before the start', { ...watch, start: minute(2), end: minute(1) }, 'value_error', 'end'],
    ['a time before devices existed', { ...watch, timestamp: '0001-01-01T00:00:00Z' }, 'value_error', 'timestamp'],
    ['an unknown provider', { ...watch, provider: 'nobody', timestamp: minute(1) }, 'enum', 'provider'],
  ])('are not deleted by %s, and the refusal names the path', async (_, deletion, type, name) => {
    const { status, body } = await remove([{ ...watch, timestamp: minute(1) }, deletion]);
    expect([status, body.detail]).toEqual([422, [expect.objectContaining({ type, loc: ['body', 1, name] })]]);
  });
});

describe('summaries', () => {
  const day = (n: number, more: object = {}) => ({
    provider: 'apple_health_kit',
    source_type: 'watch',
    calendar_date: `2026-01-0${n}`,
    steps: 1_000 * n,
    ...more,
  });
  const removeOf = (path: string, ...deletions: object[]) =>
    team.api<Deleted>('DELETE', `/v2/summary/${path}/${user_id}`, deletions);
  const list = async (path: string, key = path) => {
    const query = 'start_date=2026-01-01&end_date=2026-01-31';
    const { body } = await team.api<Record<string, { id: string }[]>>('GET', `/v2/summary/${path}/${user_id}?${query}`);
    return (body[key] ?? []).map(({ id }) => id);
  };

  test('are deleted by id, by the id of their provider and by days of a source, with one event for each', async () => {
    const { body } = await pushSummaries(team, user_id, 'activity', [
      day(1),
      day(2, { provider_id: 'two' }),
      day(3),
      day(4),
      day(5),
      day(4, { source_type: 'phone' }),
    ]);
    const [one, two, three, four, five, ofPhone] = body.items.map(({ id }) => id) as string[];
    const before = await takeWebhooks();
    const response = await removeOf(
      'activity',
      { id: one },
      { provider: 'apple_health_kit', provider_id: 'two' },
      { provider: 'apple_health_kit', source_type: 'watch', start_date: '2026-01-03', end_date: '2026-01-04' },
    );
    expect([response.status, response.body.deleted, response.body.ids.toSorted()]).toEqual([
      200,
      4,
      [one, two, three, four].toSorted(),
    ]);
    expect((await list('activity')).toSorted()).toEqual([five, ofPhone].toSorted());
    const events = await takeWebhooks();
    expect(new Set(events.map(({ event_type }) => event_type))).toEqual(new Set(['daily.data.activity.deleted']));
    expect(events.map(({ data }) => data.id).toSorted()).toEqual([one, two, three, four].toSorted());
    const ofTwo = events.find(({ data }) => data.id === two);
    const [deleted_at, updated_at] = [ofTwo, before.find(({ data }) => data.id === two)].map((event) => {
      const { deleted_at, updated_at } = (event?.data ?? {}) as Record<string, string>;
      return deleted_at ?? updated_at ?? '';
    }) as [string, string];
    expect(ofTwo).toMatchObject({
      origin: 'live',
      data: {
        user_id,
        provider_id: 'two',
        calendar_date: '2026-01-02',
        source: { provider: 'apple_health_kit', type: 'watch' },
      },
    });
    expect([updated_at, deleted_at].toSorted()).toEqual([updated_at, deleted_at]);
    expect(deleted_at).not.toBe(updated_at);
    expect((await removeOf('activity', { id: one })).body).toEqual({ deleted: 0, ids: [] });
    expect(await takeWebhooks()).toEqual([]);
  });

  test('take along the summaries that belong to them', async () => {
    const night = { provider: 'oura', source_type: 'ring', bedtime_start: minute(0), bedtime_stop: minute(50) };
    const totals = { duration: 3_000, total: 3_000, awake: 0, light: 3_000, rem: 0, deep: 0 };
    const { body } = await pushSummaries(team, user_id, 'sleep', [{ ...night, ...totals }]);
    const sleep_id = body.items[0]?.id as string;
    const cycle = {
      provider: 'oura',
      source_type: 'ring',
      sleep_id,
      session_start: minute(0),
      session_end: minute(50),
    };
    const stages = { stage_start_offset_second: [0], stage_end_offset_second: [3_000], stage_type: [2] };
    await pushSummaries(team, user_id, 'sleep_cycle', [{ ...cycle, ...stages }]);
    await takeWebhooks();
    expect((await removeOf('sleep', { id: sleep_id })).body).toEqual({ deleted: 1, ids: [sleep_id] });
    expect((await takeWebhooks()).map(({ event_type }) => event_type).toSorted()).toEqual([
      'daily.data.sleep.deleted',
      'daily.data.sleep_cycle.deleted',
    ]);
    expect([await list('sleep'), await list('sleep_cycle')]).toEqual([[], []]);
  });

  test('of a provider that we pull from cannot be deleted with a token of the user', async () => {
    const ofRing = { provider: 'oura', source_type: 'ring', provider_id: 'day-1' };
    const { body } = await pushSummaries(team, user_id, 'activity', [day(1, ofRing), day(2)]);
    const [pulled, pushed] = body.items.map(({ id }) => id) as [string, string];
    const path = `/v2/summary/activity/${user_id}`;
    const as = await asUser();
    for (const deletion of [{ id: pulled }, { provider: 'oura', provider_id: 'day-1' }]) {
      const { status, body } = await team.api<Deleted>('DELETE', path, [{ id: pushed }, deletion], as);
      expect([status, body.code]).toEqual([403, 'provider_not_deletable']);
    }
    expect(await list('activity')).toEqual([pulled, pushed]);
    expect((await team.api<Deleted>('DELETE', path, [{ id: pushed }], as)).body.ids).toEqual([pushed]);
    expect((await removeOf('activity', { id: pulled })).body.ids).toEqual([pulled]);
  });

  test('of another user, team or kind are not found by their ids', async () => {
    const { body } = await pushSummaries(team, user_id, 'activity', [day(1)]);
    const id = body.items[0]?.id as string;
    const other = await makeUser(team);
    const path = `/v2/summary/activity/${other.user_id}`;
    expect((await team.api<Deleted>('DELETE', path, [{ id }])).body.deleted).toBe(0);
    expect((await removeOf('body', { id })).body.deleted).toBe(0);
    const another = await app.makeTeam();
    expect((await another.api('DELETE', `/v2/summary/activity/${user_id}`, [{ id }])).status).toBe(404);
    expect(await list('activity')).toEqual([id]);
  });

  test.each([
    ['neither an id nor days', { provider: 'oura' }, 'missing', 'id'],
    [
      'two kinds of selection at once',
      { id: '0198f000-0000-7000-8000-000000000001', provider_id: 'a' },
      'value_error',
      'id',
    ],
    ['an id without a provider', { provider_id: 'a' }, 'missing', 'provider'],
    ['only one end of the days', { provider: 'oura', start_date: '2026-01-01' }, 'missing', 'end_date'],
    [
      'an end before the start',
      { provider: 'oura', start_date: '2026-01-02', end_date: '2026-01-01' },
      'value_error',
      'end_date',
    ],
  ])('are not deleted by %s, and the refusal names the path', async (_, deletion, type, name) => {
    const { status, body } = await removeOf('workouts', deletion);
    expect([status, body.detail]).toEqual([422, [expect.objectContaining({ type, loc: ['body', 0, name] })]]);
  });
});
