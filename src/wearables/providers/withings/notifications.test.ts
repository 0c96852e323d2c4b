// Shapes of
// https://developer.withings.com/developer-guide/v3/integration-guide/public-health-data-api/data-api/notifications/notification-content
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { publishedTo } from '../../../../test/publish-event.ts';
import { hookTokenFor, notifiedProvider } from '../../../../test/notified-provider.ts';
import type { DataResponse, DataRequest } from '../../../../test/provider.ts';

const DAY_SECONDS = 86_400;
const token = hookTokenFor('withings');
const now = Math.floor(Date.now() / 1_000);
/** A time long before the days that polls cover. */
const then = now - 60 * DAY_SECONDS;

/** The weights of the account, in kilograms, by their ids. */
let weights: Map<number, { at: number; value: number }>;
beforeEach(() => {
  weights = new Map();
});

const given = notifiedProvider('withings', {
  play: answer,
  scopes: ['user.metrics'],
  prepare: (provider) => provider.wrap((body) => ({ status: 0, body })),
  canRefresh: true,
});

function answer({ body }: DataRequest): DataResponse {
  const form = new URLSearchParams(body);
  if (form.get('action') !== 'getmeas') return { json: { status: 0, body: { activities: [], series: [] } } };
  const within = [...weights].filter(
    ([, { at }]) => at >= Number(form.get('startdate')) && at < Number(form.get('enddate')),
  );
  const measuregrps = within.map(([grpid, { at, value }]) => ({
    grpid,
    attrib: 0,
    date: at,
    category: 1,
    measures: [{ type: 1, value: value * 1_000, unit: -3 }],
  }));
  return { json: { status: 0, body: { timezone: 'America/Phoenix', measuregrps } } };
}

const notify = (fields: Record<string, string | number>, at = `/${token}`) =>
  given.notify(
    new URLSearchParams({ userid: given.owner, ...fields } as Record<string, string>).toString(),
    { 'content-type': 'application/x-www-form-urlencoded' },
    at,
  );
const bodies = async (): Promise<number[]> => {
  const from = new Date((then - DAY_SECONDS) * 1_000).toISOString().slice(0, 10);
  const all = await given.summaries<{ weight: number }>('body', from);
  return all.map(({ weight }) => weight).toSorted();
};
const connection = async () =>
  (
    await given.team.api<{ providers: { status: string; error_details: { error_type: string } | null }[] }>(
      'GET',
      `/v2/user/providers/${given.user_id}`,
    )
  ).body.providers[0];

test('The span in a notification is pulled, however old it is', async () => {
  weights.set(1, { at: then, value: 84 });
  expect((await notify({ appli: 1, startdate: then, enddate: then })).body).toEqual({ received: true });
  await given.app.runJobs();
  expect(await bodies()).toEqual([84]);
  expect(new Set(given.provider.asked.map(({ body }) => new URLSearchParams(body).get('startdate')))).toEqual(
    new Set([String(then)]),
  );
});

test('What the user has deleted within the span is deleted, and nothing else', async () => {
  weights
    .set(1, { at: then, value: 84 })
    .set(2, { at: then + 60, value: 85 })
    .set(3, { at: then + 7_200, value: 86 });
  await notify({ appli: 1, startdate: then, enddate: then + 7_200 });
  await given.app.runJobs();
  expect(await bodies()).toEqual([84, 85, 86]);
  weights.delete(2);
  weights.delete(3);
  await notify({ appli: 1, startdate: then, enddate: then + 3_600 });
  await given.app.runJobs();
  expect(await bodies()).toEqual([84, 86]);
  const gone = (await publishedTo(given.app, given.team)).filter(({ event_type }) => event_type.endsWith('.deleted'));
  expect(gone.map(({ event_type }) => event_type).toSorted()).toEqual([
    'daily.data.body.deleted',
    'daily.data.weight.deleted',
  ]);
});

test('A span that cannot be read deletes nothing', async () => {
  weights.set(1, { at: then, value: 84 });
  await notify({ appli: 1, startdate: then, enddate: then + 60 });
  await given.app.runJobs();
  given.provider.play(() => ({ json: { status: 522, body: {} } }));
  await notify({ appli: 1, startdate: then, enddate: then + 61 });
  await given.app.runJobs();
  expect(await bodies()).toEqual([84]);
});

test('A span is pulled after a wait, however many tries were deferred meanwhile', async () => {
  weights.set(1, { at: then, value: 84 });
  await sql`
    insert into team_provider_waits (team_id, provider, polls_until, past_until)
    values (${given.team.id}, 'withings', now() + interval '1 hour', now())`.execute(given.app.db);
  await notify({ appli: 1, startdate: then, enddate: then });
  for (let round = 1; round <= 9; round += 1) {
    await given.app.runJobs();
    await sql`
      update graphile_worker._private_jobs set run_at = now()
       where run_at > now() and payload ->> 'user_id' = ${given.user_id}`.execute(given.app.db);
  }
  expect(given.provider.asked.filter(({ body }) => body.includes('getmeas'))).toEqual([]);
  await sql`delete from team_provider_waits`.execute(given.app.db);
  await given.app.runJobs();
  expect(await bodies()).toEqual([84]);
});

test('An equal text reports something new once the first was worked on', async () => {
  const notification = { appli: 2, startdate: then, enddate: then };
  for (let n = 1; n <= 2; n += 1) {
    await notify(notification);
    await notify(notification);
    await given.app.runJobs();
    expect(given.provider.asked).toHaveLength(n);
  }
});

test.each(['unlink', 'delete'])(
  'A user who has ended the agreement there, by %s, causes an error event',
  async (action) => {
    given.provider.revokeAll();
    await notify({ appli: 46, action });
    await given.app.runJobs();
    expect(await connection()).toMatchObject({
      status: 'error',
      error_details: { error_type: 'deregistered_per_provider' },
    });
  },
);

test('An ended agreement is confirmed with Withings first', async () => {
  await notify({ appli: 46, action: 'unlink' });
  await given.app.runJobs();
  expect((await connection())?.status).toBe('connected');
});

test('Only the secret part of the address proves the sender', async () => {
  const head = (at: string) => fetch(`${given.app.baseUrl}/v2/hooks/withings${at}`, { method: 'HEAD' });
  expect((await head(`/${token}`)).status).toBe(200);
  expect((await head('/guess')).status).toBe(401);
  expect((await head('')).status).toBe(401);
  expect((await notify({ appli: 1 }, '/guess')).status).toBe(401);
  expect((await notify({ appli: 1 }, '')).status).toBe(401);
});

test.each([
  ['about nothing that is pulled', { appli: 51, date: '2026-01-05' }],
  ['about another user', { appli: 1, userid: '999' }],
  ['with an invalid id', { appli: 1, userid: '../1' }],
])('A notification %s causes no request', async (_, fields) => {
  expect((await notify(fields as never)).status).toBe(200);
  await given.app.runJobs();
  expect(given.provider.asked).toEqual([]);
});

test('An invalid span causes a pull of the last days', async () => {
  await notify({ appli: 1, startdate: 'yesterday', enddate: -1 });
  await given.app.runJobs();
  const asked = given.provider.asked.map(({ body }) => Number(new URLSearchParams(body).get('startdate')));
  expect(asked.length).toBeGreaterThan(0);
  for (const start of asked) expect(start).toBeGreaterThan(now - 4 * DAY_SECONDS);
});
