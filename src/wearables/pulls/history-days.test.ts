// How far back a new connection begins by default, by provider.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { importConnection, makeUser } from '../../../test/factories.ts';
import { DOCUMENTED } from '../../../test/providers/documented-providers.ts';
import { PROVIDERS } from '../providers/provider-catalogue.ts';

/** The providers that Phial cannot connect to, by the number of days of their history. */
const DAYS: Record<number, string[]> = {
  1: ['dexcom'],
  14: ['my_fitness_pal', 'my_fitness_pal_v2'],
  28: ['cronometer'],
  90: ['fitbit', 'garmin', 'google_fit', 'eight_sleep', 'abbott_libreview'],
  180: ['peloton', 'whoop'],
  270: ['zwift'],
};
const daysOf = (slug: string): number =>
  DOCUMENTED[slug]?.historyDays ?? Number(Object.entries(DAYS).find(([, slugs]) => slugs.includes(slug))?.[0] ?? 30);

const CONNECTED = Object.keys(DOCUMENTED);
const applicationOf = (slug: string): [string, string][] =>
  ['CLIENT_ID', 'CLIENT_SECRET', 'BASE_URL'].map((name) => [
    `PHIAL_${slug.toUpperCase()}_${name}`,
    name === 'BASE_URL' ? 'http://127.0.0.1:9' : `of-${slug}`,
  ]);

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp(Object.fromEntries(CONNECTED.flatMap(applicationOf)));
});
afterAll(() => app.close());

test('every provider has the documented number of days, and 30 where none is known', () => {
  const documented = Object.entries(PROVIDERS).map(([slug, { history_days }]) => [slug, history_days]);
  expect(documented).toEqual(Object.keys(PROVIDERS).map((slug) => [slug, daysOf(slug)]));
});

type Pulls = { data: { provider: Record<string, { pulled: Record<string, { range_start: string }> }> }[] };

test.each(CONNECTED)('a connection to %s is pulled so many days back, for every resource', async (slug) => {
  const { user_id } = await makeUser(app.team);
  const today = new Date().toISOString().slice(0, 10);
  await importConnection(app.team, user_id, { oauth_scopes: null }, slug);
  const { body } = await app.api<Pulls>('GET', `/v2/introspect/historical_pull?user_id=${user_id}`);
  const pulls = Object.values(body.data[0]?.provider[slug]?.pulled ?? {});
  expect(pulls.length).toBeGreaterThan(0);
  const begin = new Date(Date.parse(today) - daysOf(slug) * 86_400_000).toISOString();
  expect(new Set(pulls.map(({ range_start }) => range_start))).toEqual(new Set([begin]));
});
