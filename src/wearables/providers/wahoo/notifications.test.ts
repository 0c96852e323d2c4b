// Shapes of https://cloud-api.wahooligan.com/#webhooks
import { createHmac, randomInt } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import { importConnection, makeUser } from '../../../../test/factories.ts';
import { startProvider, type DataAnswer, type DataRequest, type Provider } from '../../../../test/provider.ts';

const token = createHmac('sha256', 'secret-of-wahoo').update('phial hooks').digest('hex');
/** Long before the days that polls cover. */
const starts = new Date(Date.now() - 40 * 86_400_000).toISOString();

let provider: Provider;
let app: TestApp;
let team: Team;
let user_id: string;
let owner: string;
beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp(provider.env('wahoo'));
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
  await importConnection(team, user_id, { provider_id: owner, oauth_scopes: null }, 'wahoo');
  await app.runJobs();
  provider.asked.length = 0;
});

const summary = { id: 8_297, duration_total_accum: '3600.0', distance_accum: '21482.5', heart_rate_avg: '141.0' };
function answer({ path }: DataRequest): DataAnswer | undefined {
  if (path === '/v1/workouts') return { json: { workouts: [] } };
  const id = Number(path.split('/').at(-1));
  return id === 55 ? { json: { id, starts, minutes: 60, workout_type_id: 0, workout_summary: summary } } : undefined;
}

const notify = (id: number, at = `/${token}`, changes: object = {}) =>
  team.api('POST', `/v2/hooks/wahoo${at}`, undefined, {
    raw: JSON.stringify({
      event_type: 'workout_summary',
      webhook_token: '97661c16-6359-4854-9498-a49c07b6ec11',
      user: { id: Number(owner) },
      workout_summary: { ...summary, workout: { id, starts, minutes: 60, workout_type_id: 0 } },
      ...changes,
    }),
    headers: { 'content-type': 'application/json' },
    key: null,
  });

test('The workout that a notification names is pulled, however old it is', async () => {
  expect((await notify(55)).status).toBe(200);
  await app.runJobs();
  const path = `/v2/summary/workouts/${user_id}?start_date=${starts.slice(0, 8)}01`;
  const { body } = await team.api<{ workouts: object[] }>('GET', path);
  expect(body.workouts).toMatchObject([{ provider_id: '55', distance: 21_482.5, average_hr: 141 }]);
});

test('Only the secret part of the address proves the sender', async () => {
  for (const at of ['', '/guess']) expect((await notify(55, at)).status).toBe(401);
});

test('A notification of another type or about no user of ours causes no request', async () => {
  for (const changes of [{ user: { id: 1 } }, { user: 7 }, { workout_summary: [] }, { event_type: 'plan' }])
    expect((await notify(55, `/${token}`, changes)).status).toBe(200);
  await app.runJobs();
  expect(provider.asked).toEqual([]);
});
