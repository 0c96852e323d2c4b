import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { steps } from '../../../test/invented-events.ts';
import { subscribe, webhookPath } from '../../../test/factories.ts';
import { publishTo } from '../../../test/publish-event.ts';
import { startEndpoint, type Endpoint } from '../../../test/endpoint.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { ALL_ENDPOINTS } from '../../delivery/tallies/tallies.ts';
import { PARTS, partOf } from '../../delivery/tallies/durations.ts';

type Figures = {
  attempts: number;
  succeeded: number;
  failed: number;
  success_rate: number | null;
  latency_ms: { p50: number | null; p95: number | null; p99: number | null };
};
type Metrics = {
  interval: string;
  since: string;
  until: string;
  total: Figures;
  data: (Figures & { start: string })[];
};
type Matrix = { data: { result: { metric: Record<string, string>; values: [number, string][] }[] } };

let app: TestApp;
let team: Team;
let endpoint: Endpoint;
let webhook: string;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam();
  endpoint = await startEndpoint({ invented: true });
  webhook = await subscribe(team, endpoint);
});
afterEach(() => endpoint.close());

const ofTeam = () => `/v1/org/${team.org_id}/team/${team.id}/sandbox`;
const metricsOf = async (id: string, query = ''): Promise<Metrics> =>
  (await team.api<Metrics>('GET', `${webhookPath(team)}/${id}/metrics${query}`)).body;
const metricsOfTeam = async (query = ''): Promise<Metrics> =>
  (await team.api<Metrics>('GET', `${ofTeam()}/webhook_metrics${query}`)).body;

async function deliver(times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) await publishTo(app, team, steps, {});
  await app.deliver();
}

/** Inserts the counts of attempts at the time `started_at`, with these durations in milliseconds. */
async function attempted(webhookId: string, started_at: string, durations: number[], succeeded: number): Promise<void> {
  const counts = Array<number>(PARTS).fill(0);
  for (const ms of durations) counts[partOf(ms)] = (counts[partOf(ms)] as number) + 1;
  await acrossTeams(app.ctx)
    .db.insertInto('delivery_tallies')
    .values({ team_id: team.id, webhook_id: webhookId, started_at, succeeded, durations: counts })
    .execute();
}

test('attempts are counted by endpoint and for the team, with their results and durations', async () => {
  await deliver(3);
  endpoint.answer((response) => response.writeHead(500).end());
  await deliver(1);
  const other = await subscribe(team, endpoint);
  const one = await metricsOf(webhook);
  expect(one.total).toEqual({
    attempts: 4,
    succeeded: 3,
    failed: 1,
    success_rate: 0.75,
    latency_ms: { p50: expect.any(Number), p95: expect.any(Number), p99: expect.any(Number) },
  });
  const { p50, p95, p99 } = one.total.latency_ms as Record<string, number>;
  expect((p50 as number) > 0 && (p50 as number) <= (p95 as number) && (p95 as number) <= (p99 as number)).toBe(true);
  expect(await metricsOfTeam()).toEqual(one);
  expect((await metricsOf(other)).total).toEqual({
    attempts: 0,
    succeeded: 0,
    failed: 0,
    success_rate: null,
    latency_ms: { p50: null, p95: null, p99: null },
  });
});

test('each interval of a day is returned, with the present one at the end', async () => {
  await deliver(2);
  const { interval, since, until, data } = await metricsOf(webhook);
  expect([interval, data.length]).toEqual(['1h', 25]);
  expect(data.map(({ start }) => Date.parse(start) - Date.parse(since))).toEqual(data.map((_, n) => n * 3_600_000));
  expect(Date.parse(until) - Date.parse(data.at(-1)?.start as string)).toBe(3_600_000);
  expect(Date.parse(until)).toBeGreaterThan(Date.now());
  expect(data.map(({ attempts }) => attempts).reduce((sum, count) => sum + count)).toBe(2);
});

test('an interval adds up the counts inside it and no others', async () => {
  const minutes = Array.from({ length: 12 }, (_, n) => `2026-03-01T10:${String(n * 5).padStart(2, '0')}:00Z`);
  for (const at of minutes) await attempted(webhook, at, [10, 10, 10, 2_000], 3);
  await attempted(webhook, '2026-03-01T09:55:00Z', [1], 1);
  await attempted(webhook, '2026-03-01T11:00:00Z', [1], 1);
  const range = 'since=2026-03-01T10:00:00Z&until=2026-03-01T10:59:59Z';
  for (const [interval, each] of [
    ['5m', 4],
    ['15m', 12],
    ['1h', 48],
  ] as const) {
    const { total, data } = await metricsOf(webhook, `?${range}&interval=${interval}`);
    expect(data.map(({ attempts, failed }) => [attempts, failed])).toEqual(
      Array.from({ length: 48 / each }, () => [each, each / 4]),
    );
    expect(total).toMatchObject({ attempts: 48, succeeded: 36, success_rate: 0.75 });
    expect(total.latency_ms.p50).toBeLessThanOrEqual(10);
    expect(total.latency_ms.p50).toBeGreaterThan(7);
    expect(total.latency_ms.p95).toBeGreaterThan(1_500);
    expect(total.latency_ms.p99).toBeLessThanOrEqual(2_000);
  }
  const day = await metricsOf(webhook, '?since=2026-03-01&until=2026-03-01&interval=1d');
  expect([day.since, day.until, day.total.attempts]).toEqual([
    '2026-03-01T00:00:00.000Z',
    '2026-03-02T00:00:00.000Z',
    50,
  ]);
});

test.each(['since=2026-03-02&until=2026-03-01', 'since=2026-01-01&until=2026-03-01&interval=15m'])(
  '%s is refused',
  async (query) => {
    const answer = await team.api<{ detail: object[] }>('GET', `${ofTeam()}/webhook_metrics?${query}`);
    expect([answer.status, answer.body.detail]).toMatchObject([422, [{ loc: ['query', 'since'] }]]);
  },
);

test('the Prometheus format has a value for each interval and result, and the durations', async () => {
  await deliver(3);
  endpoint.answer((response) => response.writeHead(500).end());
  await deliver(1);
  for (const [interval, seconds, points] of [
    ['5m', 300, 288],
    ['15m', 900, 288],
    ['1h', 3_600, 168],
    ['1d', 86_400, 30],
  ] as const) {
    const { status, body } = await team.api<Matrix>('GET', `${ofTeam()}/event_delivery_metric?interval=${interval}`);
    expect([status, body]).toMatchObject([200, { status: 'success', data: { resultType: 'matrix' } }]);
    const series = (labels: object) =>
      body.data.result.find(({ metric }) => Object.entries(labels).every(([k, v]) => metric[k] === v));
    const [succeeded, failed] = ['succeeded', 'failed'].map((outcome) =>
      series({ __name__: 'event_delivery_attempts', outcome }),
    );
    for (const { values } of [succeeded, failed] as { values: [number, string][] }[]) {
      expect(values.length).toBe(points);
      expect(values.every(([at], n) => at === (values[0] as [number, string])[0] + n * seconds)).toBe(true);
    }
    const sum = ({ values }: { values: [number, string][] }) =>
      values.reduce((all, [, value]) => all + Number(value), 0);
    expect([sum(succeeded as never), sum(failed as never)]).toEqual([3, 1]);
    const median = series({ __name__: 'event_delivery_duration_seconds', quantile: '0.5' });
    expect(median?.values.length).toBeGreaterThan(0);
    expect(Number(median?.values[0]?.[1])).toBeLessThan(10);
  }
});

test('another team gets none of it', async () => {
  await attempted(ALL_ENDPOINTS, new Date(Math.floor(Date.now() / 300_000) * 300_000).toISOString(), [5], 1);
  const otherTeam = await app.makeTeam();
  const answer = await otherTeam.api<Metrics>(
    'GET',
    `/v1/org/${otherTeam.org_id}/team/${otherTeam.id}/sandbox/webhook_metrics`,
  );
  expect(answer.body.total.attempts).toBe(0);
  expect((await metricsOfTeam()).total.attempts).toBe(1);
});
