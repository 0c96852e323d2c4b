// Shapes of https://www.polar.com/accesslink-api/#webhooks
import { beforeEach, expect, test } from 'vitest';
import { hookTokenFor, notifiedProvider } from '../../../../test/notified-provider.ts';
import type { DataResponse, DataRequest } from '../../../../test/provider.ts';

const token = hookTokenFor('polar');
/** A day before the days that polls cover. */
const day = new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10);

const given = notifiedProvider('polar', { play: answer });

let known = false;
function answer({ path, query }: DataRequest): DataResponse | undefined {
  if (path === '/v3/users/activities') {
    const isAsked = known && day >= String(query.get('from')) && day <= String(query.get('to'));
    return { json: isAsked ? [{ start_time: `${day}T00:00:00`, steps: 8_823 }] : [] };
  }
  if (path === '/v3/exercises')
    return {
      json: known ? [{ id: '2AC312F', start_time: `${day}T10:00:00`, duration: 'PT1H', sport: 'RUNNING' }] : [],
    };
  return { status: 204, text: '' };
}
beforeEach(() => {
  known = false;
});

const notify = (event: string, more: object = {}, at = `/${token}`) =>
  given.notify(
    JSON.stringify({ event, user_id: Number(given.owner), timestamp: new Date().toISOString(), ...more }),
    { 'content-type': 'application/json' },
    at,
  );

test('Late data is pulled when a notification names its day or an exercise', async () => {
  known = true;
  await notify('ACTIVITY_SUMMARY', { date: day, url: `https://www.polaraccesslink.com/v3/users/activities/${day}` });
  await notify('EXERCISE', { entity_id: '2AC312F', url: 'https://www.polaraccesslink.com/v3/exercises/2AC312F' });
  await given.app.runJobs();
  expect(await given.summaries('activity', day)).toMatchObject([{ calendar_date: day, steps: 8_823 }]);
  expect(await given.summaries('workouts', day)).toMatchObject([{ provider_id: '2AC312F' }]);
});

test('A PING causes no request, and neither does a notification about no user of ours', async () => {
  expect((await notify('PING', { user_id: undefined })).status).toBe(200);
  expect((await notify('EXERCISE', { user_id: 1 })).status).toBe(200);
  expect((await notify('SLEEP_WISE_ALERTNESS')).status).toBe(200);
  await given.app.runJobs();
  expect(given.provider.asked).toEqual([]);
});

test('Only the secret part of the address proves the sender', async () => {
  for (const at of ['', '/guess']) expect((await notify('EXERCISE', {}, at)).status).toBe(401);
});
