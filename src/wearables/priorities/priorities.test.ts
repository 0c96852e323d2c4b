import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makeUser, pushSummaries } from '../../../test/factories.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

type Row = { data_type: string; priority: number; source: { slug: string } };
const path = '/v2/team/source/priorities';
const rowsInShort = (rows: Row[]) => rows.map(({ data_type, source, priority }) => [data_type, source.slug, priority]);

test('the order of providers is stored by kind of data, and a kind that is not named keeps its order', async () => {
  expect((await app.api<Row[]>('GET', path)).body).toEqual([]);
  await app.api('PATCH', path, [
    { data_type: 'sleep', providers: ['oura', 'fitbit'] },
    { data_type: 'timeseries', providers: ['garmin'] },
  ]);
  const { body } = await app.api<Row[]>('PATCH', path, [{ data_type: 'timeseries', providers: ['polar'] }]);
  expect(rowsInShort(body)).toEqual([
    ['sleep', 'oura', 1],
    ['sleep', 'fitbit', 2],
    ['timeseries', 'polar', 1],
  ]);
  expect(rowsInShort((await app.api<Row[]>('GET', `${path}?data_type=sleep`)).body)).toEqual([
    ['sleep', 'oura', 1],
    ['sleep', 'fitbit', 2],
  ]);
  expect((await app.api<Row[]>('GET', `${path}?data_type=moods`)).body).toEqual([]);
});

test('an aggregate uses the first provider in order with data of the day, or the order of the query', async () => {
  const team = await app.makeTeam('With an order');
  const { user_id } = await makeUser(team);
  const steps = (provider: string, value: number) => {
    const at = '2026-01-05T10:00:00Z';
    return { resource: 'steps', provider, source_type: 'watch', start: at, end: at, unit: 'count', value };
  };
  await team.api('POST', `/v2/timeseries/${user_id}/samples`, [
    steps('fitbit', 1),
    steps('garmin', 2),
    steps('oura', 4),
  ]);
  await team.api('POST', `/v2/summary/activity/${user_id}`, [
    { provider: 'fitbit', calendar_date: '2026-01-05', steps: 10 },
    { provider: 'garmin', calendar_date: '2026-01-05', steps: 20 },
  ]);
  const sums = async (config?: object) => {
    const query = (arg: object) => ({ select: [{ func: 'sum', arg }] });
    const { body } = await team.api<{ results: { table: Record<string, number[]> }[] }>(
      'POST',
      `/aggregate/v1/user/${user_id}/query`,
      {
        timeframe: { anchor: '2026-01-05', past: { unit: 'day' } },
        queries: [query({ timeseries: 'steps' }), query({ activity: 'steps' })],
        config,
      },
    );
    return body.results.flatMap(({ table }) => Object.values(table).flat());
  };
  await team.api('PATCH', path, [{ data_type: 'timeseries', providers: ['oura', 'garmin'] }]);
  expect(await sums()).toEqual([4, 10]);
  await team.api('PATCH', path, [{ data_type: 'activity', providers: ['garmin'] }]);
  expect(await sums()).toEqual([4, 20]);
  expect(await sums({ provider_priority_overrides: ['fitbit'] })).toEqual([1, 10]);
});

test('meals and profiles follow the order of timeseries', async () => {
  const team = await app.makeTeam('With an order of series');
  const { user_id } = await makeUser(team);
  const today = new Date().toISOString().slice(0, 10);
  const meal = (provider: string, value: number) => ({
    provider,
    provider_id: provider,
    timestamp: `${today}T00:00:01Z`,
    name: 'Breakfast',
    energy: { unit: 'kcal', value },
  });
  await pushSummaries(team, user_id, 'meal', [meal('apple_health_kit', 1), meal('my_fitness_pal', 2)]);
  await pushSummaries(team, user_id, 'profile', [
    { provider: 'fitbit', height: 171 },
    { provider: 'oura', height: 172 },
  ]);
  const counted = async () => {
    const columns = [{ meal: 'energy.value' }, { profile: 'height_centimeter' }];
    const { body } = await team.api<{ results: { table: Record<string, number[]> }[] }>(
      'POST',
      `/aggregate/v1/user/${user_id}/query`,
      {
        timeframe: { anchor: today, past: { unit: 'day', value: 3 } },
        queries: columns.map((column) => ({ select: [column] })),
      },
    );
    return body.results.map(({ table }) => Object.values(table)[0]);
  };
  expect(await counted()).toEqual([[1], [171]]);
  await team.api('PATCH', path, [{ data_type: 'timeseries', providers: ['my_fitness_pal', 'oura'] }]);
  expect(await counted()).toEqual([[2], [172]]);
});

test.each([
  ['an unknown kind of data', [{ data_type: 'moods', providers: [] }], ['body', 0, 'data_type']],
  ['an unknown provider', [{ data_type: 'sleep', providers: ['acme'] }], ['body', 0, 'providers', 0]],
  ['a provider named twice', [{ data_type: 'sleep', providers: ['oura', 'oura'] }], ['body', 0, 'providers']],
  ['nothing', [], ['body']],
])('%s is refused', async (_what, body, problemPath) => {
  const response = await app.api<{ detail: { loc: unknown }[] }>('PATCH', path, body);
  expect([response.status, response.body.detail.map(({ loc }) => loc)]).toEqual([422, [problemPath]]);
});
