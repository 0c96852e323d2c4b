// Shapes of https://developer.whoop.com/docs/developing/webhooks
import { createHmac } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { publishedTo } from '../../../../test/publish-event.ts';
import { notifiedProvider } from '../../../../test/notified-provider.ts';
import type { DataResponse, DataRequest } from '../../../../test/provider.ts';

const WORKOUT = '1a3f8c2d-0f6b-4a55-9b0e-57a41c9f0c11';
const NIGHT = 'ecfc6a15-4661-442f-a9a4-f160dd7afae8';
/** A time long before the days that polls cover. */
const then = new Date(Date.now() - 40 * 86_400_000).toISOString();
const later = new Date(Date.parse(then) + 3_600_000).toISOString();

const given = notifiedProvider('whoop_v2', { play: answer });

let present: Set<string>;
beforeEach(() => {
  present = new Set([WORKOUT, NIGHT]);
});

const stages = { total_light_sleep_time_milli: 1, total_slow_wave_sleep_time_milli: 1, total_rem_sleep_time_milli: 1 };
function answer({ path }: DataRequest): DataResponse | undefined {
  const id = path.split('/').at(-1) ?? '';
  if (path.endsWith('/cycle/93845/recovery'))
    return { json: { sleep_id: NIGHT, score: { recovery_score: 44, resting_heart_rate: 54, hrv_rmssd_milli: 61 } } };
  if (!/-/.test(id)) return { json: { records: [], next_token: null } };
  if (!present.has(id)) return undefined;
  const found = { id, start: then, end: later, timezone_offset: '-07:00', cycle_id: 93_845, sport_name: 'running' };
  return { json: { ...found, score: id === NIGHT ? { stage_summary: stages } : { average_heart_rate: 123 } } };
}

const notify = (notification: object, { secret = 'secret-of-whoop_v2', at = Date.now() } = {}) => {
  const raw = JSON.stringify({ user_id: Number(given.owner), trace_id: `${at}-${Math.random()}`, ...notification });
  const signature = createHmac('sha256', secret).update(`${at}${raw}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'x-whoop-signature': signature,
    'x-whoop-signature-timestamp': String(at),
  };
  return given.notify(raw, headers);
};
const listed = (kind: string) => given.summaries(kind, `${then.slice(0, 8)}01`);

/** The deletion events: their types, origins and the provider's ids. */
const deletedOf = async (): Promise<unknown[][]> =>
  (await publishedTo(given.app, given.team))
    .filter(({ event_type }) => event_type.endsWith('.deleted'))
    .map(({ event_type, body }) => {
      const { origin, data } = JSON.parse(body) as { origin: string; data: { provider_id?: string } };
      return [event_type, origin, data.provider_id];
    });

test('The object in a notification is pulled however old it is, and deleted when it is gone', async () => {
  expect((await notify({ id: WORKOUT, type: 'workout.updated' })).status).toBe(200);
  await notify({ id: NIGHT, type: 'recovery.updated' });
  await given.app.runJobs();
  expect(await listed('workouts')).toMatchObject([{ provider_id: WORKOUT, average_hr: 123 }]);
  expect(await listed('sleep')).toMatchObject([{ recovery_readiness_score: 44, hr_resting: 54, average_hrv: 61 }]);
  present.delete(WORKOUT);
  // The deletion of the night is false: the provider still has it.
  for (const [id, type] of [
    [WORKOUT, 'workout.deleted'],
    [NIGHT, 'sleep.deleted'],
  ])
    await notify({ id, type });
  await given.app.runJobs();
  expect([(await listed('workouts')).length, (await listed('sleep')).length]).toEqual([0, 1]);
  expect(await deletedOf()).toEqual([['daily.data.workouts.deleted', 'live', WORKOUT]]);
});

test('A deleted night takes along only its own samples, and events are published', async () => {
  await notify({ id: NIGHT, type: 'sleep.updated' });
  await given.app.runJobs();
  const breaths = [later, new Date(Date.parse(later) + 20 * 3_600_000).toISOString()];
  const sample = { resource: 'respiratory_rate', provider: 'whoop_v2', unit: 'bpm', value: 14 };
  await given.team.api('POST', `/v2/timeseries/${given.user_id}/samples`, [
    ...breaths.map((timestamp) => ({ ...sample, source_type: 'watch', timestamp })),
    { ...sample, source_type: 'app', timestamp: later },
  ]);
  present.delete(NIGHT);
  await notify({ id: NIGHT, type: 'sleep.deleted' });
  await given.app.runJobs();
  expect(await listed('sleep')).toEqual([]);
  const path = `/v2/timeseries/${given.user_id}/respiratory_rate/grouped?start_date=${then.slice(0, 10)}`;
  type Groups = { groups: Record<string, { source: { type: string }; data: { timestamp: string }[] }[]> };
  const { groups } = (await given.team.api<Groups>('GET', path)).body;
  const left = Object.values(groups)
    .flat()
    .map(({ source, data }) => [source.type, ...data.map(({ timestamp }) => timestamp)]);
  expect(left.toSorted()).toEqual([
    ['app', later],
    ['watch', breaths[1]],
  ]);
  expect((await deletedOf()).map(([type]) => type).toSorted()).toEqual([
    'daily.data.respiratory_rate.deleted',
    'daily.data.sleep.deleted',
  ]);
});

test.each([
  ['another secret', { secret: 'secret-of-oura' }],
  ['an old time', { at: Date.now() - 600_000 }],
])('A notification that is signed with %s is refused', async (_, signed) => {
  expect((await notify({ id: WORKOUT, type: 'workout.updated' }, signed)).status).toBe(401);
});

test.each([
  ['about nothing that is pulled', { id: WORKOUT, type: 'body.updated' }],
  ['about no user of ours', { id: WORKOUT, type: 'workout.updated', user_id: 1 }],
  ['with an invalid id', { id: '../profile', type: 'workout.updated' }],
])('A notification %s causes no request', async (_, notification) => {
  expect((await notify(notification)).status).toBe(200);
  await given.app.runJobs();
  expect(given.provider.asked).toEqual([]);
});
