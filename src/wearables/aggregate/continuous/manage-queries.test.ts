import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import {
  createQuery,
  heartRateByDay,
  queriesPath,
  runPendingQueries,
  type Query,
} from '../../../../test/continuous.ts';
import { makeUser } from '../../../../test/factories.ts';
import { setBeta } from '../../../tenancy/teams/betas.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ PHIAL_CONTINUOUS_QUERIES_PER_TEAM: '2' });
});
afterAll(() => app.close());

type Problem = { loc: (string | number)[]; msg: string };
type Refusal = { code: string; detail: Problem[] };
type Validation = { valid: boolean; columns: string[]; problems: { code: string }[] };
type Table = Record<string, (number | string | null)[]>;

const today = new Date().toISOString().slice(0, 10);
const heartRate = (value: number) => ({
  resource: 'heartrate',
  provider: 'oura',
  timestamp: `${today}T00:00:00Z`,
  unit: 'bpm',
  value,
});
const userWithHeartRate = async (team: Team): Promise<string> => {
  const { user_id } = await makeUser(team);
  await team.api('POST', `/v2/timeseries/${user_id}/samples`, [heartRate(60)]);
  return user_id;
};
const read = (team: Team, userId: string, query: string) =>
  team.api<{ table: Table }>('GET', `/aggregate/v1/user/${userId}/continuous_query/${query}/result_table`);
const patch = <T = Query>(team: Team, id: string, changes: object) =>
  team.api<T>('PATCH', `${queriesPath(team)}/${id}`, changes);
const validate = (team: Team, body: object) =>
  team.api<Validation & Refusal>(
    'POST',
    queriesPath(team).replace(/continuous_query$/, 'validate_continuous_query'),
    body,
  );
const rowsOf = async (queryId: string) => {
  const { rows } = await sql`
    select from continuous_query_results where query_id = ${queryId}
    union all select from continuous_query_tasks where query_id = ${queryId}`.execute(app.db);
  return rows.length;
};

test('queries are listed in the order of creation, as they were given', async () => {
  const team = await app.makeTeam();
  const { body: first } = await createQuery(team, { config: { week_starts_on: 'sunday' } });
  const { body: second } = await team.api<Query>('POST', `${queriesPath(team)}?query_type=platform`, {
    ...heartRateByDay,
    slug: 'second',
  });
  expect(first).toMatchObject({ ...heartRateByDay, slug: 'heart_rate_by_day', config: { week_starts_on: 'sunday' } });
  expect(second).toMatchObject({ slug: 'second', query_type: 'platform', config: null, active: true });
  expect((await team.api<{ data: Query[] }>('GET', queriesPath(team))).body.data).toEqual([first, second]);
});

describe('a query is refused', () => {
  const steps = { timeseries: 'steps' };
  test.each<[string, object, (string | number)[]]>([
    [
      'of an unknown series',
      { query: { select: [{ func: 'mean', arg: { timeseries: 'luck' } }] } },
      ['query', 'select', 0, 'arg', 'timeseries'],
    ],
    ['of an unknown function', { query: { select: [{ func: 'mode', arg: steps }] } }, ['query', 'select', 0, 'func']],
    ['without a column', { query: { select: [{ group_key: '*' }] } }, ['query', 'select']],
    ['of more than 400 days', { timeframe: { past: { unit: 'month', value: 14 } } }, ['timeframe', 'past']],
    ['with a slug that could be an id', { slug: 'a1b2c3d4-0000-4000-8000-000000000000' }, ['slug']],
    ['without a title', { title: '' }, ['title']],
    ['with an unknown key', { where: 'value > 3' }, ['where']],
  ])('%s, with the location, by all three operations', async (_what, changes, path) => {
    const team = await app.makeTeam();
    const { body: query } = await createQuery(team);
    const responses = [
      await createQuery<Refusal>(team, changes),
      await validate(team, { ...heartRateByDay, ...changes }),
      await patch<Refusal>(team, query.id, changes),
    ];
    for (const { status, body } of responses)
      expect([status, body.detail.map(({ loc }) => loc)]).toEqual([422, [['body', ...path]]]);
  });

  test('with the slug of another query, until that is deleted', async () => {
    const team = await app.makeTeam();
    const { body: first } = await createQuery(team);
    const again = await createQuery<Refusal>(team);
    expect([again.status, again.body.code]).toEqual([400, 'slug_taken']);
    const { body: other } = await createQuery(team, { slug: 'other' });
    expect((await patch<Refusal>(team, other.id, { slug: first.slug })).body.code).toBe('slug_taken');
    await team.api('DELETE', `${queriesPath(team)}/${first.id}`);
    expect((await patch(team, other.id, { slug: first.slug })).body.slug).toBe(first.slug);
  });

  test('if the team has the maximum number of queries', async () => {
    const team = await app.makeTeam();
    await createQuery(team);
    await createQuery(team, { slug: 'second' });
    const third = await createQuery<Refusal & { limit: number }>(team, { slug: 'third' });
    expect([third.status, third.body.code, third.body.limit]).toEqual([403, 'limit_reached', 2]);
    const { body } = await validate(team, heartRateByDay);
    expect([body.valid, body.problems.map(({ code }) => code)]).toEqual([false, ['limit_reached', 'slug_taken']]);
  });

  test('with any key but a management key of the team', async () => {
    const [team, other] = [await app.makeTeam(), await app.makeTeam()];
    const { body: query } = await createQuery(team);
    const { body: bound } = await team.api<{ key: string }>('POST', `/v1/org/${team.org_id}/management_key`, {
      label: 'bound',
      role: 'team_admin',
      team_role_bindings: [{ team_id: team.id }],
    });
    const requests: [string, string, object?][] = [
      ['GET', queriesPath(team)],
      ['POST', queriesPath(team), { ...heartRateByDay, slug: 'another' }],
      ['POST', queriesPath(team).replace(/continuous_query$/, 'validate_continuous_query'), heartRateByDay],
      ['PATCH', `${queriesPath(team)}/${query.id}`, { title: 'Other' }],
      ['DELETE', `${queriesPath(team)}/${query.id}`],
    ];
    for (const [method, path, body] of requests) {
      const by = async (key: string | null) => {
        const response = await team.api<Refusal>(method, path, body, { key });
        return [response.status, response.body.code];
      };
      expect(await by(null)).toEqual([401, 'invalid_api_key']);
      expect(await by(team.api_key)).toEqual([401, 'wrong_key_kind']);
      expect(await by(other.management_key)).toEqual([404, 'not_found']);
      expect((await by(bound.key))[0]).toBe(200);
    }
    const user_id = await userWithHeartRate(team);
    for (const part of ['result_table', 'task_history']) {
      const path = `/aggregate/v1/user/${user_id}/continuous_query/${query.id}/${part}`;
      const response = await team.api<Refusal>('GET', path, undefined, { key: team.management_key });
      expect([response.status, response.body.code]).toEqual([401, 'wrong_key_kind']);
    }
  });
});

test('in production all operations are refused until an operator opens the beta to the team', async () => {
  const production = await startTestApp({ PHIAL_ENVIRONMENT: 'production' });
  const { team } = production;
  const { user_id } = await makeUser(team);
  const path = queriesPath(team).replace('sandbox', 'production');
  const change = (open: boolean) =>
    setBeta(production.ctx, { org_id: team.org_id, team_id: team.id, beta: 'continuous_queries', open });
  const ask = async (): Promise<[number, string][]> => {
    const id = '01940000-0000-7000-8000-000000000004';
    const requests: [string, string, object?][] = [
      ['GET', path],
      ['POST', path, heartRateByDay],
      ['POST', path.replace(/continuous_query$/, 'validate_continuous_query'), heartRateByDay],
      ['PATCH', `${path}/${id}`, { title: 'Other' }],
      ['DELETE', `${path}/${id}`],
      ['GET', `/aggregate/v1/user/${user_id}/continuous_query/${id}/result_table`],
      ['GET', `/aggregate/v1/user/${user_id}/continuous_query/${id}/task_history`],
    ];
    const responses: [number, string][] = [];
    for (const [method, at, body] of requests) {
      const response = await team.api<Refusal>(method, at, body);
      responses.push([response.status, response.body.code]);
    }
    return responses;
  };
  const refused = Array.from({ length: 7 }, () => [403, 'closed_beta']);
  expect(await ask()).toEqual(refused);
  await change(true);
  expect((await ask()).map(([status]) => status)).toEqual([200, 200, 200, 404, 404, 404, 404]);
  await change(false);
  expect(await ask()).toEqual(refused);
  await production.close();
});

test('a validation returns the columns and creates no query', async () => {
  const team = await app.makeTeam();
  expect((await validate(team, heartRateByDay)).body).toEqual({
    valid: true,
    columns: ['group_key.0', 'mean.heartrate.value'],
    problems: [],
  });
  expect((await team.api<{ data: Query[] }>('GET', queriesPath(team))).body.data).toEqual([]);
});

describe('a changed query', () => {
  test('is computed again for all users, and has an empty table until then', async () => {
    const team = await app.makeTeam();
    const user_id = await userWithHeartRate(team);
    const { body: query } = await createQuery(team);
    await runPendingQueries(app);
    const max = { select: [{ func: 'max', arg: { timeseries: 'heartrate' } }] };
    const { body: changed } = await patch(team, query.id, { query: max, title: 'Highest' });
    expect(changed).toMatchObject({ id: query.id, slug: query.slug, title: 'Highest', query: max });
    expect((await read(team, user_id, query.id)).body.table).toEqual({ 'max.heartrate.value': [] });
    await runPendingQueries(app);
    expect((await read(team, user_id, query.id)).body.table).toEqual({ 'max.heartrate.value': [60] });
  });

  test('keeps its table if only its slug changed', async () => {
    const team = await app.makeTeam();
    const user_id = await userWithHeartRate(team);
    const { body: query } = await createQuery(team);
    await runPendingQueries(app);
    await patch(team, query.id, { slug: 'renamed', query: null });
    expect((await read(team, user_id, 'renamed')).body.table['mean.heartrate.value']).toEqual([60]);
    expect((await read(team, user_id, query.slug)).status).toBe(404);
  });

  test('is not computed while it is inactive, and is computed when it is active again', async () => {
    const team = await app.makeTeam();
    const user_id = await userWithHeartRate(team);
    const { body: query } = await createQuery(team);
    await runPendingQueries(app);
    await patch(team, query.id, { active: false });
    await team.api('POST', `/v2/timeseries/${user_id}/samples`, [heartRate(90)]);
    await runPendingQueries(app);
    const mean = async () => (await read(team, user_id, query.id)).body.table['mean.heartrate.value'];
    expect(await mean()).toEqual([60]);
    await patch(team, query.id, { active: true });
    await runPendingQueries(app);
    expect(await mean()).toEqual([90]);
  });
});

describe('a result table', () => {
  test('is erased with its query', async () => {
    const team = await app.makeTeam();
    const user_id = await userWithHeartRate(team);
    const { body: query } = await createQuery(team);
    await runPendingQueries(app);
    expect(await rowsOf(query.id)).toBe(2);
    const remove = () => team.api('DELETE', `${queriesPath(team)}/${query.id}`);
    expect((await remove()).body).toEqual({ success: true });
    expect((await read(team, user_id, query.id)).status).toBe(404);
    expect((await remove()).status).toBe(404);
    await app.runJobs();
    const { rows } = await sql`select from continuous_queries where id = ${query.id}`.execute(app.db);
    expect([await rowsOf(query.id), rows.length]).toEqual([0, 0]);
  });

  test('cannot be read while its user is scheduled for deletion, and can be read after an undo', async () => {
    const team = await app.makeTeam();
    const user_id = await userWithHeartRate(team);
    const { body: query } = await createQuery(team);
    await team.api('DELETE', `/v2/user/${user_id}`);
    await runPendingQueries(app);
    expect((await read(team, user_id, query.id)).status).toBe(404);
    await team.api('POST', `/v2/user/undo_delete?user_id=${user_id}`);
    await runPendingQueries(app);
    expect((await read(team, user_id, query.id)).body.table['mean.heartrate.value']).toEqual([60]);
  });
});
