// Shapes of https://developer.dexcom.com/docs/dexcomv3/operation/getEstimatedGlucoseValuesV3/
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import { importConnection, makeUser } from '../../../../test/factories.ts';
import { startProvider, type DataResponse, type Provider } from '../../../../test/provider.ts';
import { dayAgo, pulledFrom, refresh } from '../../../../test/pulled.ts';

let provider: Provider;
let app: TestApp;
beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp(provider.env('dexcom_v3'));
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

const record = (systemTime: string, displayTime: string, changes: object = {}) => ({
  recordId: '4be62fb4-c1ae-44a8-bc4f-6b0b8e5d6a1c',
  systemTime,
  displayTime,
  transmitterId: null,
  transmitterTicks: 0,
  value: 108,
  status: 'ok',
  trend: 'flat',
  trendRate: 0.4,
  unit: 'mg/dL',
  rateUnit: 'mg/dL/min',
  displayDevice: 'iOS',
  transmitterGeneration: 'g7',
  displayApp: 'G7',
  ...changes,
});
const answered = (records: unknown[]): DataResponse => ({
  json: { recordType: 'egv', recordVersion: '3.0', userId: 'a0b1', records },
});
const day = dayAgo(2);

test("Glucose is stored in millimoles, with the offset of the phone's clock", async () => {
  const { samples, pulls } = await pulledFrom(app, provider, 'dexcom_v3', () =>
    answered([
      record(`${day}T12:00:20Z`, `${day}T05:00:20-07:00`),
      record(`${day}T12:05:21Z`, `${day}T05:05:24`, { value: 39, status: 'low' }),
      record(`${day}T12:10`, '2009-01-01T00:00:00', { value: 5.4, unit: 'mmol/L' }),
      record(`${day}T12:15:20Z`, `${day}T05:15:20-07:00`, { value: null, status: 'unknown' }),
    ]),
  );
  expect(await pulls()).toEqual({ glucose: 'success' });
  const found = await samples('glucose');
  expect(found).toMatchObject([
    { timestamp: `${day}T12:00:20.000Z`, unit: 'mmol/L', timezone_offset: -25_200, source_type: 'automatic' },
    { timestamp: `${day}T12:05:21.000Z`, timezone_offset: -25_200 },
    { timestamp: `${day}T12:10:00.000Z`, value: 5.4, timezone_offset: null },
  ]);
  expect(found.slice(0, 2).map(({ value }) => Math.round(value * 1_000))).toEqual([5_995, 2_165]);
});

test('Requests cover at most 30 days, in UTC without an offset', async () => {
  provider.asked.length = 0;
  await pulledFrom(app, provider, 'dexcom_v3', () => answered([]));
  const asked = provider.asked.map(({ query }) => [query.get('startDate'), query.get('endDate')]);
  expect(asked.length).toBe(2);
  for (const moments of asked) {
    for (const moment of moments) expect(moment).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    const [from, to] = moments.map((moment) => Date.parse(`${moment}Z`)) as [number, number];
    expect(to - from).toBeLessThanOrEqual(30 * 86_400_000);
  }
});

test('The next polls find late values, and each is published once', async () => {
  let records = [record(`${dayAgo(1)}T12:00:20Z`, `${dayAgo(1)}T05:00:20-07:00`)];
  const { team, user_id, samples } = await pulledFrom(app, provider, 'dexcom_v3', () => answered(records));
  records = [...records, record(`${dayAgo(2)}T03:00:20Z`, `${dayAgo(2)}T20:00:20-07:00`)];
  await refresh(app, team, user_id);
  await refresh(app, team, user_id);
  expect(await samples('glucose')).toHaveLength(2);
});

test.each<[string, DataResponse]>([
  ['no records', { json: {} }],
  ['an unknown unit', answered([record(`${day}T12:00:00Z`, `${day}T05:00:00`, { unit: 'g/L' })])],
  ['an invalid time', answered([record('now', 'now')])],
])('An answer with %s ends the pull with an error', async (_, response) => {
  const { pulls } = await pulledFrom(app, provider, 'dexcom_v3', () => response);
  expect(await pulls()).toEqual({ glucose: 'failure' });
});

test('A refusal makes only the team wait, as long as the answer says', async () => {
  const [first, second] = [await app.makeTeam(), await app.makeTeam()];
  let response: DataResponse = { status: 429, headers: { 'retry-after': '900' } };
  provider.play(() => response);
  const asksOf = async (team: Team): Promise<number> => {
    provider.asked.length = 0;
    await importConnection(team, (await makeUser(team)).user_id, { oauth_scopes: null }, 'dexcom_v3');
    await app.runJobs();
    return provider.asked.length;
  };
  expect(await asksOf(first)).toBe(1);
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from polls_until - now())::integer as seconds from team_provider_waits
      where team_id = ${first.id}`.execute(app.db);
  expect(rows[0]?.seconds).toBeGreaterThan(800);
  response = answered([]);
  expect(await asksOf(first)).toBe(0);
  expect(await asksOf(second)).toBeGreaterThan(0);
});
