// Shapes of https://cloud-api.wahooligan.com/#webhooks
import { expect, test } from 'vitest';
import { hookTokenFor, notifiedProvider } from '../../../../test/notified-provider.ts';
import type { DataResponse, DataRequest } from '../../../../test/provider.ts';

const token = hookTokenFor('wahoo');
/** A time long before the days that polls cover. */
const starts = new Date(Date.now() - 40 * 86_400_000).toISOString();

const given = notifiedProvider('wahoo', { play: answer });

const summary = { id: 8_297, duration_total_accum: '3600.0', distance_accum: '21482.5', heart_rate_avg: '141.0' };
function answer({ path }: DataRequest): DataResponse | undefined {
  if (path === '/v1/workouts') return { json: { workouts: [] } };
  const id = Number(path.split('/').at(-1));
  return id === 55 ? { json: { id, starts, minutes: 60, workout_type_id: 0, workout_summary: summary } } : undefined;
}

const notify = (id: number, at = `/${token}`, changes: object = {}) =>
  given.notify(
    JSON.stringify({
      event_type: 'workout_summary',
      webhook_token: '97661c16-6359-4854-9498-a49c07b6ec11',
      user: { id: Number(given.owner) },
      workout_summary: { ...summary, workout: { id, starts, minutes: 60, workout_type_id: 0 } },
      ...changes,
    }),
    { 'content-type': 'application/json' },
    at,
  );

test('The workout that a notification names is pulled, however old it is', async () => {
  expect((await notify(55)).status).toBe(200);
  await given.app.runJobs();
  expect(await given.summaries('workouts', `${starts.slice(0, 8)}01`)).toMatchObject([
    { provider_id: '55', distance: 21_482.5, average_hr: 141 },
  ]);
});

test('Only the secret part of the address proves the sender', async () => {
  for (const at of ['', '/guess']) expect((await notify(55, at)).status).toBe(401);
});

test('A notification of another type or about no user of ours causes no request', async () => {
  for (const changes of [{ user: { id: 1 } }, { user: 7 }, { workout_summary: [] }, { event_type: 'plan' }])
    expect((await notify(55, `/${token}`, changes)).status).toBe(200);
  await given.app.runJobs();
  expect(given.provider.asked).toEqual([]);
});
