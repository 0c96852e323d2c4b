import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { makeUser, subscribe } from '../../../test/factories.ts';
import { startEndpoint, type Endpoint } from '../../../test/endpoint.ts';

let app: TestApp;
let team: Team;
let user_id: string;
let endpoint: Endpoint;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam();
  ({ user_id } = await makeUser(team));
  endpoint = await startEndpoint();
  await subscribe(team, endpoint, ['daily.data.*']);
  return () => endpoint.close();
});

const MINUTE_MS = 60_000;
const midnight = Date.parse('2026-01-05T00:00:00Z');
const at = (minute: number): string => new Date(midnight + minute * MINUTE_MS).toISOString();
const kind = { provider: 'apple_health_kit', source_type: 'phone' };
const steps = (from: number, minutes: number, value: number, more: object = {}) => ({
  ...kind,
  resource: 'steps',
  start: at(from),
  end: at(from + minutes),
  unit: 'count',
  value,
  ...more,
});
const walks = { app_id: 'com.example.walks' };
const rings = { app_id: 'com.example.rings' };

type Counts = { created: number; updated: number; unchanged: number };
const push = async (...samples: object[]): Promise<Counts> => {
  const { status, body } = await team.api<Counts>('POST', `/v2/timeseries/${user_id}/samples`, samples);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body;
};
type Webhook = {
  event_type: string;
  data: {
    source: { app_id: string | null; device_id: string | null };
    source_id: number;
    version: number;
    data?: { start: string; value: number }[];
    intervals?: { start: string; end: string }[];
  };
};
/** The webhooks that arrived since the last call. */
async function takeWebhooks(): Promise<Webhook[]> {
  await app.deliver();
  return endpoint.received.splice(0).map(({ body }) => body as unknown as Webhook);
}

/** The minutes at which the samples of each app or device begin. */
async function minutesBy(word: 'app_id' | 'device_id', series = 'steps'): Promise<Record<string, number[]>> {
  const { body } = await team.api<{ groups: Record<string, { source: object; data: { timestamp: string }[] }[]> }>(
    'GET',
    `/v2/timeseries/${user_id}/${series}/grouped?start_date=2026-01-01`,
  );
  return Object.fromEntries(
    Object.values(body.groups)
      .flat()
      .map(({ source, data }) => [
        (source as Record<string, string | null>)[word] ?? 'none',
        data.map(({ timestamp }) => (Date.parse(timestamp) - midnight) / MINUTE_MS),
      ]),
  );
}

async function sums(by: string | null = null): Promise<Record<string, unknown[]>> {
  const { status, body } = await team.api<{ results: { table: Record<string, unknown[]> }[] }>(
    'POST',
    `/aggregate/v1/user/${user_id}/query`,
    {
      timeframe: { anchor: '2026-01-05', past: { unit: 'day', value: 7 } },
      queries: [
        {
          select: [{ group_key: '*' }, { func: 'sum', arg: { timeseries: 'steps' } }],
          ...(by ? { group_by: [{ source: by }] } : {}),
        },
      ],
    },
  );
  expect([status, body]).toEqual([200, expect.anything()]);
  return body.results[0]?.table ?? {};
}

async function device(serial: string): Promise<string> {
  const { body } = await team.api<{ items: { id: string }[] }>('POST', `/v2/summary/devices/${user_id}`, [
    { provider: 'apple_health_kit', source_type: 'watch', device_id: serial, device_model: 'Watch' },
  ]);
  return body.items[0]?.id as string;
}

describe('two apps on one phone', () => {
  test('keep their own samples if intervals overlap, and a sum does not add both', async () => {
    // Each sample lasts an hour. The samples of one app begin on the hour, those of the other app at half past.
    await push(
      ...Array.from({ length: 8 }, (_, n) => steps(480 + n * 60, 60, 1_000, walks)),
      ...Array.from({ length: 8 }, (_, n) => steps(510 + n * 60, 60, 900, rings)),
    );
    // All samples of the first app by name count: 7,200. The other app counts only for the half hour before these: 500.
    expect(await sums()).toEqual({ 'sum.steps.value': [7_200 + 500] });
    expect(await sums('source_app_id')).toEqual({
      'group_key.0': ['com.example.rings', 'com.example.walks'],
      'sum.steps.value': [7_200, 8_000],
    });
    expect(await minutesBy('app_id')).toEqual({
      'com.example.walks': [480, 540, 600, 660, 720, 780, 840, 900],
      'com.example.rings': [510, 570, 630, 690, 750, 810, 870, 930],
    });
  });

  test('have an event each, with its app and the same source_id', async () => {
    await push(steps(0, 60, 1, walks), steps(30, 60, 2, rings));
    const events = await takeWebhooks();
    expect(events.map(({ data }) => [data.source.app_id, data.data?.map(({ value }) => value)]).sort()).toEqual([
      ['com.example.rings', [2]],
      ['com.example.walks', [1]],
    ]);
    expect(new Set(events.map(({ data }) => data.source_id)).size).toBe(1);
  });

  test('that send one time have one sample, for steps the larger one', async () => {
    await push(steps(0, 60, 100, walks), steps(60, 60, 5, walks));
    const [first] = await takeWebhooks();
    expect(await push(steps(0, 30, 120, rings))).toMatchObject({ created: 0, updated: 1 });
    const [second, ...others] = await takeWebhooks();
    expect(others).toEqual([]);
    expect([second?.event_type, second?.data.source.app_id]).toEqual(['daily.data.steps.updated', rings.app_id]);
    expect(second?.data.version).toBeGreaterThan(first?.data.version as number);
    expect(second?.data.source_id).toBe(first?.data.source_id);
    expect(await minutesBy('app_id')).toEqual({ 'com.example.walks': [60], 'com.example.rings': [0] });
    expect(await sums()).toEqual({ 'sum.steps.value': [125] });
    // The first app gets the sample back only with a larger value, or with the same value over a longer interval.
    expect(await push(steps(0, 60, 100, walks))).toMatchObject({ created: 0, updated: 0 });
    expect(await takeWebhooks()).toEqual([]);
    expect(await push(steps(0, 60, 120, walks))).toMatchObject({ updated: 1 });
    expect((await takeWebhooks())[0]?.data.version).toBeGreaterThan(second?.data.version as number);
    expect(await minutesBy('app_id')).toEqual({ 'com.example.walks': [0, 60] });
  });

  test("cannot lower each other's steps, but each can lower its own", async () => {
    await push(steps(0, 60, 100, walks));
    expect(await push(steps(0, 5, 8, rings))).toMatchObject({ created: 0, updated: 0, unchanged: 1 });
    expect(await push(steps(0, 60, 90, walks))).toMatchObject({ updated: 1 });
    expect(await sums()).toEqual({ 'sum.steps.value': [90] });
    // In one batch, the first app lowers its own sample below the sample of the other app. The larger one is stored.
    expect(await push(steps(0, 60, 40, walks), steps(0, 5, 50, rings))).toMatchObject({ updated: 1, unchanged: 1 });
    expect(await minutesBy('app_id')).toEqual({ 'com.example.rings': [0] });
    expect(await push(steps(0, 5, 45, rings), steps(0, 60, 40, walks))).toMatchObject({ updated: 1, unchanged: 1 });
    expect(await sums()).toEqual({ 'sum.steps.value': [45] });
  });

  test('have one sample of a time in a series that does not add up: the last one', async () => {
    const pulse = { ...kind, resource: 'heartrate', timestamp: at(0), unit: 'bpm' };
    await push({ ...pulse, ...walks, value: 90 });
    expect(await push({ ...pulse, ...rings, value: 60 })).toMatchObject({ updated: 1 });
    expect(await minutesBy('app_id', 'heartrate')).toEqual({ 'com.example.rings': [0] });
  });

  test('that send the same value of one time publish nothing, and the first app by name is its source', async () => {
    await push(steps(0, 60, 100, walks), steps(60, 60, 5, walks));
    await takeWebhooks();
    expect(await push(steps(0, 60, 100, rings))).toMatchObject({ created: 0, updated: 0, unchanged: 1 });
    expect(await push(steps(0, 60, 100, walks))).toMatchObject({ created: 0, updated: 0, unchanged: 1 });
    expect(await takeWebhooks()).toEqual([]);
    expect(await minutesBy('app_id')).toEqual({ 'com.example.walks': [60], 'com.example.rings': [0] });
  });

  test('that send one time in one batch have one sample, for steps the larger one', async () => {
    expect(
      await push(steps(0, 60, 2, rings), steps(0, 60, 1, walks), steps(5, 5, 3, walks), steps(5, 9, 2, rings)),
    ).toMatchObject({ created: 2, unchanged: 2 });
    expect(await minutesBy('app_id')).toEqual({ 'com.example.walks': [5], 'com.example.rings': [0] });
  });

  test('take over samples that were pushed without an app', async () => {
    await push(steps(0, 60, 1), steps(60, 60, 2), steps(90, 60, 4));
    await push(steps(90, 60, 4, rings), steps(0, 60, 1, walks), steps(60, 60, 2, walks));
    expect(await minutesBy('app_id')).toEqual({ 'com.example.walks': [0, 60], 'com.example.rings': [90] });
    expect(await sums()).toEqual({ 'sum.steps.value': [1 + 1 + 4] });
  });
});

describe('notes of two apps', () => {
  const note = (value: string, more: object) => ({
    resource: 'note',
    provider: 'apple_health_kit',
    source_type: 'phone',
    start: at(1),
    end: at(2),
    unit: 'text',
    value,
    ...more,
  });

  test('that have one time go with their texts to the app that sent last', async () => {
    await push(note('Tea', walks));
    expect(await push(note('Tea', rings))).toMatchObject({ unchanged: 1 });
    const texts = async () => {
      const path = `/v2/timeseries/${user_id}/note/grouped?start_date=2026-01-01`;
      const { body } = await team.api<{ groups: Record<string, { data: { value: string }[] }[]> }>('GET', path);
      return Object.values(body.groups)
        .flat()
        .flatMap(({ data }) => data.map(({ value }) => value));
    };
    expect(await texts()).toEqual(['Tea']);
    expect(await push(note('Coffee', walks))).toMatchObject({ updated: 1 });
    expect(await texts()).toEqual(['Coffee']);
    expect(await minutesBy('app_id', 'note')).toEqual({ 'com.example.walks': [1] });
  });
});

test('a sum does not add two watches that were worn at once, and each is the source of its own samples', async () => {
  const [one, other] = [await device('SN-1'), await device('SN-2')];
  const watch = (device_id: string) => ({ source_type: 'watch', app_id: 'com.apple.health', device_id });
  await push(
    steps(0, 60, 600, watch(one)),
    steps(30, 60, 600, watch(other)),
    steps(90, 60, 60, watch(one)),
    steps(300, 10, 7, watch(other)),
  );
  expect(await sums()).toEqual({ 'sum.steps.value': [600 + 300 + 60 + 7] });
  expect(await minutesBy('device_id')).toEqual({ [one]: [0, 90], [other]: [30, 300] });
});

describe('a deletion', () => {
  const ofSteps = { ...kind, resource: 'steps' };
  const remove = async (...deletions: object[]) =>
    (await team.api<{ deleted: number }>('DELETE', `/v2/timeseries/${user_id}/samples`, deletions)).body.deleted;
  const day = { start: '2026-01-05T00:00:00Z', end: '2026-01-06T00:00:00Z' };

  test('of an app, or of a device, leaves the samples of others', async () => {
    const device_id = await device('SN-1');
    await push(steps(0, 60, 1, walks), steps(30, 60, 2, rings), steps(60, 60, 3, { ...rings, device_id }));
    expect(await remove({ ...ofSteps, ...day, ...walks })).toBe(1);
    expect(await remove({ ...ofSteps, ...day, device_id })).toBe(1);
    expect(await minutesBy('app_id')).toEqual({ 'com.example.rings': [30] });
    expect(await remove({ ...ofSteps, ...day })).toBe(1);
  });

  test('is published as intervals in which no other app of the kind of device has a sample', async () => {
    await push(
      ...[0, 10, 20, 30, 40].map((minute) => steps(minute, 10, 1, walks)),
      ...[15, 50].map((minute) => steps(minute, 10, 1, rings)),
      steps(35, 10, 1, { ...rings, source_type: 'watch' }),
    );
    const created = await takeWebhooks();
    const source_id = created.find(({ data }) => data.source.app_id === rings.app_id)?.data.source_id;
    expect(await remove({ ...ofSteps, ...day, ...walks })).toBe(5);
    const [gone, ...others] = await takeWebhooks();
    expect(others).toEqual([]);
    expect(gone?.data).toMatchObject({ source_id, source: walks });
    expect(gone?.data.intervals).toEqual([
      { start: at(0), end: at(10) },
      { start: at(20), end: at(40) },
    ]);
  });

  test('by a record deletes nothing if the sample of another app counts instead', async () => {
    await push(steps(0, 60, 1, { ...walks, record_id: 'walk-1' }));
    await push(steps(0, 60, 1, { ...rings, record_id: 'ring-1' }));
    await push(steps(0, 60, 1, { ...walks, record_id: 'walk-1' }));
    expect(await remove({ ...kind, record_id: 'walk-1' })).toBe(0);
    expect(await remove({ ...kind, record_id: 'ring-1' })).toBe(1);
  });
});

describe('too many apps', () => {
  const named = (n: number) => steps(n, 1, 1, { app_id: `com.example.app${n}` });
  const refused = async (samples: object[]) => {
    const { status, body } = await team.api<{ code: string; detail: string; limit: number }>(
      'POST',
      `/v2/timeseries/${user_id}/samples`,
      samples,
    );
    expect([status, body.code, body.limit]).toEqual([403, 'limit_reached', 50]);
    return body.detail;
  };

  test('are refused before anything is stored, if a series and kind of device would have more than fifty', async () => {
    expect(await refused(Array.from({ length: 5_000 }, (_, n) => named(n % 1_400)))).toMatch(
      /at most 50 apps and devices/,
    );
    expect(await minutesBy('app_id')).toEqual({});
    await push(...Array.from({ length: 50 }, (_, n) => named(n)));
    expect(await refused([named(50)])).toMatch(/at most 50 apps and devices/);
    expect(await push(named(7), { ...named(51), source_type: 'watch' })).toMatchObject({ created: 1, unchanged: 1 });
  });

  const removeAll = async (of: object) => {
    const day = { start: '2026-01-05T00:00:00Z', end: '2026-01-06T00:00:00Z' };
    return (
      await team.api('DELETE', `/v2/timeseries/${user_id}/samples`, [{ ...kind, resource: 'steps', ...day, ...of }])
    ).status;
  };

  test('make room for others when their samples are deleted, and source_id and counts stay the same', async () => {
    await push(...Array.from({ length: 50 }, (_, n) => named(n)));
    const before = await takeWebhooks();
    expect(await removeAll({ app_id: 'com.example.app1' })).toBe(200);
    expect(await push(named(50))).toMatchObject({ created: 1 });
    expect(await refused([named(51)])).toMatch(/at most 50 apps and devices/);
    expect(await removeAll({})).toBe(200);
    await takeWebhooks();
    expect(await push(...Array.from({ length: 49 }, (_, n) => named(100 + n)))).toMatchObject({ created: 49 });
    const after = await takeWebhooks();
    const numbers = (events: Webhook[]) => [...new Set(events.map(({ data }) => data.source_id))];
    expect(numbers(after)).toEqual(numbers(before));
    const last = Math.max(...before.map(({ data }) => data.version));
    expect(after.every(({ data }) => data.version > last)).toBe(true);
    // `sent_count` also counts published samples that were deleted later.
    const { body } = await team.api<{ data: { provider: Record<string, Record<string, { sent_count: number }>> }[] }>(
      'GET',
      `/v2/introspect/resources?user_id=${user_id}`,
    );
    expect(body.data[0]?.provider['apple_health_kit']?.['steps']?.sent_count).toBe(50 + 1 + 49);
  });

  test('can be fifty beside the first one if it has no samples, until it sends some again', async () => {
    await push(...Array.from({ length: 50 }, (_, n) => named(n)));
    const [before] = await takeWebhooks();
    expect(await removeAll({ app_id: 'com.example.app0' })).toBe(200);
    expect(await push(named(50))).toMatchObject({ created: 1 });
    await takeWebhooks();
    expect(await push(named(50), named(7), { ...named(8), value: 2 })).toMatchObject({ updated: 1, unchanged: 2 });
    expect((await takeWebhooks())[0]?.data.source_id).toBe(before?.data.source_id);
    expect(await refused([named(0)])).toMatch(/at most 50 apps and devices/);
    expect(await refused([named(51)])).toMatch(/at most 50 apps and devices/);
    expect(await removeAll({ app_id: 'com.example.app7' })).toBe(200);
    expect(await push(named(0))).toMatchObject({ created: 1 });
    expect(await refused([named(51)])).toMatch(/at most 50 apps and devices/);
  });
});

test('if a restored database has two samples of one time, both stay and each app changes its own', async () => {
  await push(steps(0, 60, 10, walks), steps(60, 60, 20, rings));
  // No request can do this: it moves the sample of one app to the time of the other.
  await sql`
    update samples set at = at - interval '1 hour'
     where at = ${at(60)} and stream_id in (
       select id from streams where user_id = ${user_id} and app_id = ${rings.app_id})`.execute(app.db);
  expect(await minutesBy('app_id')).toEqual({ 'com.example.walks': [0], 'com.example.rings': [0] });
  expect(await push(steps(0, 60, 30, walks))).toMatchObject({ created: 0, updated: 1 });
  expect(await push(steps(0, 60, 5, rings))).toMatchObject({ created: 0, updated: 1 });
  expect(await sums('source_app_id')).toMatchObject({ 'sum.steps.value': [5, 30] });
});
