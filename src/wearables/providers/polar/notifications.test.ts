// Shapes of https://www.polar.com/accesslink-api/#webhooks
import { createHmac, randomInt } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import { importConnection, makeUser } from '../../../../test/factories.ts';
import { startProvider, type DataAnswer, type DataRequest, type Provider } from '../../../../test/provider.ts';

const token = createHmac('sha256', 'secret-of-polar').update('phial hooks').digest('hex');
/** Before the days that polls cover. */
const day = new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10);

let provider: Provider;
let app: TestApp;
let team: Team;
let user_id: string;
let owner: string;
beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp(provider.env('polar'));
});
afterAll(async () => {
  await app.close();
  await provider.close();
});
beforeEach(async () => {
  team = await app.makeTeam();
  ({ user_id } = await makeUser(team));
  owner = String(randomInt(1e9));
  provider.play(answer);
  await importConnection(team, user_id, { provider_id: owner, oauth_scopes: null }, 'polar');
  await app.runJobs();
  provider.asked.length = 0;
});

let known = false;
function answer({ path, query }: DataRequest): DataAnswer | undefined {
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
  team.api('POST', `/v2/hooks/polar${at}`, undefined, {
    raw: JSON.stringify({ event, user_id: Number(owner), timestamp: new Date().toISOString(), ...more }),
    headers: { 'content-type': 'application/json' },
    key: null,
  });
const listed = async (path: string): Promise<object[] | undefined> =>
  (await team.api<Record<string, object[]>>('GET', `/v2/summary/${path}/${user_id}?start_date=${day}`)).body[path];

test('Late data is pulled when a notification names its day or an exercise', async () => {
  known = true;
  await notify('ACTIVITY_SUMMARY', { date: day, url: `https://www.polaraccesslink.com/v3/users/activities/${day}` });
  await notify('EXERCISE', { entity_id: '2AC312F', url: 'https://www.polaraccesslink.com/v3/exercises/2AC312F' });
  await app.runJobs();
  expect(await listed('activity')).toMatchObject([{ calendar_date: day, steps: 8_823 }]);
  expect(await listed('workouts')).toMatchObject([{ provider_id: '2AC312F' }]);
});

test('A PING causes no request, and neither does a notification about no user of ours', async () => {
  expect((await notify('PING', { user_id: undefined })).status).toBe(200);
  expect((await notify('EXERCISE', { user_id: 1 })).status).toBe(200);
  expect((await notify('SLEEP_WISE_ALERTNESS')).status).toBe(200);
  await app.runJobs();
  expect(provider.asked).toEqual([]);
});

test('Only the secret part of the address proves the sender', async () => {
  for (const at of ['', '/guess']) expect((await notify('EXERCISE', {}, at)).status).toBe(401);
});
