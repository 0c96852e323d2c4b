import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import { createQuery, heartRateByDay, runPendingQueries } from '../../../../test/continuous.ts';
import { makeUser, pushSummaries, subscribe } from '../../../../test/factories.ts';
import { startEndpoint, type Endpoint } from '../../../../test/endpoint.ts';

let app: TestApp;
let endpoint: Endpoint;
beforeAll(async () => {
  [app, endpoint] = await Promise.all([startTestApp(), startEndpoint()]);
});
afterAll(async () => {
  await app.close();
  await endpoint.close();
});
afterEach(async () => {
  await app.deliver();
  endpoint.received.length = 0;
});

const CHANGED = 'continuous_query.result_table.changed';
const today = new Date().toISOString().slice(0, 10);
const dayBefore = (days: number) => new Date(Date.parse(today) - days * 86_400_000).toISOString().slice(0, 10);
const heartRate = (value: number, day = today, time = '00:00:00') => ({
  resource: 'heartrate',
  provider: 'oura',
  source_type: 'ring',
  timestamp: `${day}T${time}Z`,
  unit: 'bpm',
  value,
});
const push = async (team: Team, userId: string, samples: object[]) => {
  expect((await team.api('POST', `/v2/timeseries/${userId}/samples`, samples)).status).toBe(200);
};

type Table = Record<string, (number | string | null)[]>;
type Task = {
  trace_id: string;
  status: string;
  scheduled_at: string;
  started_at: string;
  ended_at: string;
  user_id: string;
  error_details: string | null;
};
type History = { data: Task[]; next_cursor: string | null };
const pathOf = (userId: string, query: string) => `/aggregate/v1/user/${userId}/continuous_query/${query}`;
const tableOf = async (team: Team, userId: string, query: string): Promise<Table> =>
  (await team.api<{ table: Table }>('GET', `${pathOf(userId, query)}/result_table`)).body.table;
const tasksOf = async (team: Team, userId: string, query: string, more = ''): Promise<History> =>
  (await team.api<History>('GET', `${pathOf(userId, query)}/task_history${more}`)).body;

/** The events of tables that arrived since the last test. */
const receivedEvents = async () => {
  await app.deliver();
  return endpoint.received.filter(({ body }) => body.event_type === CHANGED).map(({ body }) => body);
};
const columns = (days: string[], values: number[]) => ({ 'group_key.0': days, 'mean.heartrate.value': values });

/** A team with an endpoint for events of tables, and a user with a heart rate of today and one of yesterday. */
async function teamWithData() {
  const team = await app.makeTeam();
  await subscribe(team, endpoint, [CHANGED]);
  const user = await makeUser(team);
  await push(team, user.user_id, [heartRate(60), heartRate(50, dayBefore(1))]);
  return { team, ...user };
}

describe('a continuous query', () => {
  test('is computed for users who have data, and publishes its whole table', async () => {
    const { team, user_id, client_user_id } = await teamWithData();
    const { body: query } = await createQuery(team);
    expect(query).toMatchObject({ slug: 'heart_rate_by_day', query_type: 'team', active: true });
    expect(await tableOf(team, user_id, query.id)).toEqual(columns([], []));
    await runPendingQueries(app);
    const table = columns([dayBefore(1), today], [50, 60]);
    expect(await tableOf(team, user_id, query.id)).toEqual(table);
    expect(await tableOf(team, user_id, query.slug)).toEqual(table);
    expect(await receivedEvents()).toEqual([
      {
        event_type: CHANGED,
        team_id: team.id,
        user_id,
        client_user_id,
        data: [{ query_id: query.id, query_slug: query.slug, data: table }],
      },
    ]);
  });

  test('uses the language of all queries, and unknown words are refused', async () => {
    const { team, user_id } = await teamWithData();
    const refused = await createQuery<{ detail: { loc: unknown[] }[] }>(team, {
      query: { select: [{ workout: 'title' }], order_by: 'title', where: 'luck = 1' },
    });
    expect([refused.status, refused.body.detail.map(({ loc }) => loc)]).toEqual([
      422,
      [
        ['body', 'query', 'order_by'],
        ['body', 'query', 'where'],
      ],
    ]);
    const { body: query } = await createQuery(team, {
      query: { select: [{ workout: 'title' }, { workout: 'sport_slug' }], where: "title != 'To the sea'" },
    });
    const run = (hour: string, title: string) => ({
      provider: 'garmin',
      sport: 'running',
      time_start: `${today}T00:0${hour}:00Z`,
      time_end: `${today}T00:0${hour}:30Z`,
      title,
    });
    const rounds = [run('0', 'Round the hill'), run('1', 'To the sea'), run('2', 'Home')];
    await pushSummaries(team, user_id, 'workouts', rounds);
    await runPendingQueries(app);
    const table = { 'workout.title': ['Round the hill', 'Home'], 'workout.sport_slug': ['running', 'running'] };
    expect(await tableOf(team, user_id, query.id)).toEqual(table);
    expect((await receivedEvents()).map(({ data }) => data)).toEqual([
      [{ query_id: query.id, query_slug: query.slug, data: table }],
    ]);
  });

  test('publishes only the new rows after a change, and nothing if the same data comes again', async () => {
    const { team, user_id } = await teamWithData();
    const { body: query } = await createQuery(team);
    await runPendingQueries(app);
    await receivedEvents();
    endpoint.received.length = 0;
    await push(team, user_id, [heartRate(60), heartRate(70, today, '00:00:01')]);
    await runPendingQueries(app);
    expect(await tableOf(team, user_id, query.id)).toEqual(columns([dayBefore(1), today], [50, 65]));
    expect((await receivedEvents()).map(({ data }) => data)).toEqual([
      [{ query_id: query.id, query_slug: query.slug, data: columns([today], [65]) }],
    ]);
    const { data: before } = await tasksOf(team, user_id, query.id);
    await push(team, user_id, [heartRate(60), heartRate(70, today, '00:00:01')]);
    await runPendingQueries(app);
    expect((await tasksOf(team, user_id, query.id)).data).toEqual(before);
    expect(await receivedEvents()).toHaveLength(1);
  });

  test('is computed once for data that comes in together', async () => {
    const { team, user_id } = await teamWithData();
    const { body: query } = await createQuery(team);
    const later = () =>
      sql`update graphile_worker._private_jobs set run_at = now() where run_at > now()`.execute(app.db);
    await later();
    await app.runJobs();
    expect(await tableOf(team, user_id, query.id)).toEqual(columns([dayBefore(1), today], [50, 60]));
    for (const second of ['01', '02', '03']) await push(team, user_id, [heartRate(90, today, `00:00:${second}`)]);
    expect((await tasksOf(team, user_id, query.id)).data.map(({ status }) => status)).toEqual([
      'scheduled',
      'completed',
    ]);
    await later();
    await app.runJobs();
    expect((await tasksOf(team, user_id, query.id)).data.map(({ status }) => status)).toEqual([
      'completed',
      'completed',
    ]);
    expect(await tableOf(team, user_id, query.id)).toEqual(columns([dayBefore(1), today], [50, 82.5]));
  });

  test('can read summaries, and is not computed for data that it does not read', async () => {
    const { team, user_id } = await teamWithData();
    const sum = { title: 'Steps', query: { select: [{ func: 'sum', arg: { activity: 'steps' } }] } };
    const { body: query } = await createQuery(team, sum);
    await runPendingQueries(app);
    expect(await tableOf(team, user_id, query.id)).toEqual({ 'sum.activity.steps': [] });
    await push(team, user_id, [heartRate(61)]);
    expect((await tasksOf(team, user_id, query.id)).data).toEqual([]);
    await pushSummaries(team, user_id, 'activity', [{ provider: 'oura', calendar_date: today, steps: 4_000 }]);
    await runPendingQueries(app);
    expect(await tableOf(team, user_id, query.id)).toEqual({ 'sum.activity.steps': [4_000] });
  });

  test('publishes very many rows in several events', async () => {
    const { team, user_id } = await teamWithData();
    const hours = Array.from({ length: 1_900 }, (_, hour) => {
      const at = new Date(Date.parse(today) - hour * 3_600_000).toISOString();
      return heartRate(60 + (hour + 0.5) / 1_901, at.slice(0, 10), at.slice(11, 19));
    });
    await push(team, user_id, hours);
    const all = ['min', 'max', 'mean', 'sum', 'count', 'median', 'oldest', 'newest'];
    const select = all.map((func) => ({ func, arg: { timeseries: 'heartrate' } }));
    const { body: query } = await createQuery(team, {
      timeframe: { past: { unit: 'day', value: 90 } },
      query: { select: [{ group_key: '*' }, ...select], group_by: [{ date_trunc: { unit: 'hour' } }] },
    });
    await runPendingQueries(app);
    const table = await tableOf(team, user_id, query.id);
    expect(table['group_key.0']?.length).toBe(1_900);
    const events = await receivedEvents();
    expect(events.length).toBeGreaterThan(1);
    expect(Math.max(...endpoint.received.map(({ raw }) => raw.length))).toBeLessThanOrEqual(256 * 1024);
    const publishedHours = events.flatMap(({ data }) => (data as unknown as [{ data: Table }])[0].data['group_key.0']);
    expect(publishedHours.toSorted()).toEqual(table['group_key.0']?.toSorted());
  });
});

describe('the runs of a query', () => {
  test('are listed in pages, the newest first, with their start and end', async () => {
    const { team, user_id } = await teamWithData();
    const { body: query } = await createQuery(team);
    for (const value of [1, 2, 3]) {
      await push(team, user_id, [heartRate(60 + value)]);
      await runPendingQueries(app);
    }
    const first = await tasksOf(team, user_id, query.slug, '?limit=2');
    const second = await tasksOf(team, user_id, query.slug, `?limit=2&next_cursor=${first.next_cursor}`);
    expect([first.data.length, second.data.length, second.next_cursor]).toEqual([2, 1, null]);
    const runs = [...first.data, ...second.data];
    for (const run of runs) {
      expect(run).toMatchObject({ status: 'completed', user_id, error_details: null });
      expect([run.scheduled_at, run.started_at, run.ended_at]).toEqual(
        [run.scheduled_at, run.started_at, run.ended_at].toSorted(),
      );
    }
    expect(runs.map(({ scheduled_at }) => scheduled_at)).toEqual(
      runs
        .map(({ scheduled_at }) => scheduled_at)
        .toSorted()
        .toReversed(),
    );
    const response = await team.api('GET', `${pathOf(user_id, query.id)}/task_history?next_cursor=bm9uZQ`);
    expect(response.status).toBe(422);
  });

  test('have a reason if they failed, and then the table does not change', async () => {
    const { team, user_id } = await teamWithData();
    const { body: query } = await createQuery(team, {
      timeframe: { past: { unit: 'day', value: 100 } },
      query: {
        select: [{ group_key: 0 }, ...heartRateByDay.query.select.slice(1)],
        group_by: [{ date_trunc: { unit: 'hour' } }],
      },
    });
    await runPendingQueries(app);
    const table = await tableOf(team, user_id, query.id);
    const hours = Array.from({ length: 2_001 }, (_, hour) => {
      const at = new Date(Date.parse(today) - hour * 3_600_000).toISOString();
      return heartRate(70, at.slice(0, 10), at.slice(11, 19));
    });
    await push(team, user_id, hours);
    await runPendingQueries(app);
    expect((await tasksOf(team, user_id, query.id)).data[0]).toMatchObject({
      status: 'error',
      error_details: 'too_many_matches',
    });
    expect(await tableOf(team, user_id, query.id)).toEqual(table);
  });

  test('fail if a table would have more than 20,000 values', async () => {
    const { team, user_id } = await teamWithData();
    const functions = ['min', 'max', 'mean', 'sum', 'count', 'median', 'stddev', 'oldest', 'newest'];
    const columns = [...functions, ...functions].map((func) => ({ func, arg: { timeseries: 'heartrate' } }));
    const hours = Array.from({ length: 1_100 }, (_, hour) => {
      const at = new Date(Date.parse(today) - hour * 3_600_000).toISOString();
      return heartRate(70, at.slice(0, 10), at.slice(11, 19));
    });
    await push(team, user_id, hours);
    const { body: query } = await createQuery(team, {
      timeframe: { past: { unit: 'day', value: 100 } },
      query: { select: [{ group_key: '*' }, ...columns], group_by: [{ date_trunc: { unit: 'hour' } }] },
    });
    await runPendingQueries(app);
    expect((await tasksOf(team, user_id, query.id)).data[0]).toMatchObject({
      status: 'error',
      error_details: 'too_many_matches',
    });
  });

  test('replace nothing if a run that began later has ended before', async () => {
    const { team, user_id } = await teamWithData();
    const { body: query } = await createQuery(team);
    await runPendingQueries(app);
    await sql`update continuous_query_results set task_number = task_number + 1000 where user_id = ${user_id}`.execute(
      app.db,
    );
    await push(team, user_id, [heartRate(80)]);
    await runPendingQueries(app);
    expect((await tasksOf(team, user_id, query.id)).data[0]).toMatchObject({
      status: 'completed',
      error_details: null,
    });
    expect(await tableOf(team, user_id, query.id)).toEqual(columns([dayBefore(1), today], [50, 60]));
  });

  test('are stored up to a hundred for a user and query', async () => {
    const { team, user_id } = await teamWithData();
    const { body: query } = await createQuery(team);
    await sql`
      insert into continuous_query_tasks (user_id, query_id, team_id, status, ended_at)
      select ${user_id}, ${query.id}, ${team.id}, 'success', now() from generate_series(1, 150)`.execute(app.db);
    await runPendingQueries(app);
    const { data, next_cursor } = await tasksOf(team, user_id, query.id, '?limit=100');
    expect([data.length, next_cursor]).toEqual([100, null]);
  });

  test('are repeated if a killed worker left them', async () => {
    const { team, user_id } = await teamWithData();
    const { body: query } = await createQuery(team);
    await runPendingQueries(app);
    await push(team, user_id, [heartRate(80)]);
    await sql`update continuous_query_tasks set status = 'in_progress', started_at = now() - interval '1 hour'
               where status = 'scheduled'`.execute(app.db);
    await sql`delete from graphile_worker._private_jobs`.execute(app.db);
    await sql`select graphile_worker.add_job('resume_continuous_queries', '{}')`.execute(app.db);
    await app.runJobs();
    const statuses = (await tasksOf(team, user_id, query.id)).data.map((run) => [run.status, run.error_details]);
    expect(statuses).toEqual([
      ['completed', null],
      ['error', 'interrupted'],
      ['completed', null],
    ]);
    expect(await tableOf(team, user_id, query.id)).toEqual(columns([dayBefore(1), today], [50, 80]));
  });
});
