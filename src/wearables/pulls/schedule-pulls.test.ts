// How much of the past a new connection brings.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { importConnection, linkTokenOf, makeUser } from '../../../test/factories.ts';
import { startProvider, type Provider } from '../../../test/provider.ts';
import { dayAgo } from '../../../test/pulled.ts';

let provider: Provider;
let app: TestApp;
beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp({
    ...provider.env('oura'),
    ...provider.env('strava'),
    PHIAL_OURA_HISTORY_DAYS: '365',
  });
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

test.each([
  ['oura', 365],
  ['strava', 14],
] as const)('A connection to %s brings %s days, as the operator or the default says', async (slug, days) => {
  const { user_id } = await makeUser(app.team);
  await importConnection(app.team, user_id, { oauth_scopes: null }, slug);
  type Ranges = { pulled: Record<string, { range_start: string }> };
  const path = `/v2/introspect/historical_pull?user_id=${user_id}`;
  const { body } = await app.api<{ data: { provider: Record<string, Ranges> }[] }>('GET', path);
  const pulls = Object.values(body.data[0]?.provider[slug]?.pulled ?? {});
  expect(new Set(pulls.map(({ range_start }) => range_start))).toEqual(new Set([`${dayAgo(days)}T00:00:00.000Z`]));
  const { link_token } = await linkTokenOf(app.team, user_id);
  const sent = { key: null, headers: { 'x-service-link-token': link_token } };
  const link = await app.api<object>('GET', `/v2/link/provider/oauth/${slug}`, undefined, sent);
  expect(link.body).toMatchObject({ backfill_num_days: days });
});
