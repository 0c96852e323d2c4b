// Compares every series with the interface, which series-facts.ts writes out: units, times, names of events, and both
// ways to read.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makeUser, subscribe } from '../../../test/factories.ts';
import { startEndpoint, type Endpoint } from '../../../test/endpoint.ts';
import {
  FACT_BEGIN,
  FACT_END,
  factValue,
  sampleOfEach,
  SERIES_FACTS,
  UNGROUPED,
  type SeriesFact,
} from '../../../test/series-facts.ts';
import { SERIES } from '../series.ts';

let app: TestApp;
let endpoint: Endpoint;
let userId: string;
beforeAll(async () => {
  [app, endpoint] = await Promise.all([startTestApp(), startEndpoint()]);
  await subscribe(app.team, endpoint);
  ({ user_id: userId } = await makeUser(app.team));
  await app.api('POST', `/v2/timeseries/${userId}/samples`, sampleOfEach());
  await app.deliver();
});
afterAll(async () => {
  await app.close();
  await endpoint.close();
});

type ShownSample = Record<string, unknown> & { value: unknown; type: string | null };
const numbers = ({ name, value }: SeriesFact, n = 0): object => {
  if (value === 'pressure') return { systolic: factValue(name), diastolic: factValue(name) / 2 };
  return { value: value === 'text' ? 'Two eggs' : factValue(name, n) };
};

/** Exactly what the API shows of a sample of the series. */
const shown = (fact: SeriesFact, n = 0): Record<string, unknown> => ({
  id: null,
  timezone_offset: null,
  type: fact.types[n] ?? null,
  unit: fact.unit,
  timestamp: FACT_BEGIN,
  ...(fact.interval ? { start: FACT_BEGIN, end: FACT_END } : {}),
  ...Object.fromEntries(fact.keys.map((key) => [key, null])),
  ...(fact.value === 'pressure' ? { grouping: ['watch', null, null, null] } : {}),
  ...numbers(fact, n),
});

test('the 52 series of the interface exist and no others', () => {
  expect(SERIES.map(({ name }) => name).toSorted()).toEqual(SERIES_FACTS.map(({ name }) => name));
  expect(SERIES_FACTS).toHaveLength(52);
  const words = SERIES.flatMap(({ name, type }) => (Array.isArray(type) ? [[name, type.toSorted()]] : []));
  const facts = SERIES_FACTS.flatMap(({ name, types }) => (types.length > 1 ? [[name, types.toSorted()]] : []));
  expect(Object.fromEntries(words)).toEqual(Object.fromEntries(facts));
});

describe.each(SERIES_FACTS.map((fact) => [fact.name, fact] as const))('%s', (name, fact) => {
  test('is read in its unit with the keys of its samples, and has its own event', async () => {
    const { body } = await app.api<{ groups: Record<string, { data: ShownSample[] }[]> }>(
      'GET',
      `/v2/timeseries/${userId}/${name}/grouped?start_date=2026-01-05&end_date=2026-12-31`,
    );
    const types = name === 'cholesterol' ? fact.types : [null];
    const expected = types.map((_, n) => shown(fact, n));
    const data = Object.values(body.groups)
      .flat()
      .flatMap((group) => group.data);
    const byType = (samples: Record<string, unknown>[]) =>
      samples.toSorted((a, b) => (String(a['type']) < String(b['type']) ? -1 : 1));
    expect(byType(data)).toEqual(byType(expected));

    const events = endpoint.received.filter(
      ({ body: webhook }) => webhook.event_type === `daily.data.${fact.event ?? name}.created`,
    );
    const published = events.flatMap(({ body: { data: group } }) => group['data'] as ShownSample[]);
    expect(byType(published)).toEqual(fact.event === null ? [] : byType(expected));
  });
});

test('samples publish no other events', () => {
  const types = new Set(endpoint.received.map(({ body }) => body.event_type));
  const expected = SERIES_FACTS.flatMap(({ event }) => (event === null ? [] : `daily.data.${event}.created`));
  expect([...types].toSorted()).toEqual(['provider.connection.created', ...expected].toSorted());
});

describe('the form without groups', () => {
  test.each(UNGROUPED)('of %s lists only its samples, and names its successor', async (path, name, type) => {
    const { status, headers, body } = await app.api<ShownSample[]>(
      'GET',
      `/v2/timeseries/${userId}/${path}?start_date=2026-01-05&end_date=2026-12-31`,
    );
    const fact = SERIES_FACTS.find((each) => each.name === name) as SeriesFact;
    const types = name !== 'cholesterol' ? [0] : type === undefined ? [0, 1, 2, 3] : [fact.types.indexOf(type)];
    const order = (samples: Record<string, unknown>[]) =>
      samples.toSorted((a, b) => (String(a['type']) < String(b['type']) ? -1 : 1));
    expect([status, order(body)]).toEqual([200, order(types.map((n) => shown(fact, n)))]);
    expect(headers.get('deprecation')).toMatch(/^@\d{10}$/);
    expect(headers.get('link')).toBe(`</v2/timeseries/{user_id}/${name}/grouped>; rel="successor-version"`);
  });

  test('does not exist for other series', async () => {
    const without = SERIES_FACTS.filter(({ name }) => !UNGROUPED.some(([path]) => path === name));
    const path = (name: string) =>
      `${app.baseUrl}/v2/timeseries/${userId}/${name}?start_date=2026-01-05&end_date=2026-12-31`;
    const as = { headers: { 'x-service-api-key': app.team.api_key } };
    const statuses = await Promise.all(without.map(({ name }) => fetch(path(name), as).then(({ status }) => status)));
    expect(new Set(statuses)).toEqual(new Set([404]));
    expect(without).toHaveLength(29);
  });
});
