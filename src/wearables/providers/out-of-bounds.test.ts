// Values beyond the bounds of pushes are left out of each provider's answers, and the rest is stored.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { startProvider, type DataResponse, type DataRequest, type Provider } from '../../../test/provider.ts';
import { DOCUMENTED } from '../../../test/providers/documented-providers.ts';
import { pulledFrom } from '../../../test/pulled.ts';

const CASES = Object.entries(DOCUMENTED).flatMap(([slug, { outOfBounds }]) =>
  outOfBounds.map((each) => ({ slug, ...each })),
);

let provider: Provider;
let app: TestApp;
beforeAll(async () => {
  provider = await startProvider();
  const env = Object.keys(DOCUMENTED).map((slug) => provider.env(slug));
  app = await startTestApp(Object.assign({}, ...env) as Record<string, string>);
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

test.each(CASES)(
  'The valid part of an answer of $slug is stored',
  async ({ slug, responses, summaries: list, samples: series }) => {
    /** Answers a request if its path ends with one of the paths in `responses`. */
    const answer = ({ path }: DataRequest): DataResponse | undefined => {
      const found = Object.entries(responses).find(([end]) => path.endsWith(`/${end}`));
      return found && { json: found[1] };
    };
    const { summaries, samples } = await pulledFrom(app, provider, slug, answer);
    if (list) expect(await summaries(list.path)).toMatchObject(list.expected);
    if (!series) return;
    const found = await samples(series.name);
    expect(found.map(({ value, systolic }) => systolic ?? value)).toEqual(series.expected);
  },
);

test('records that are left out are counted by provider and series or kind of summary, with the reason', async () => {
  const counted = await app.metrics.registry.getSingleMetric('phial_provider_records_skipped_total')?.get();
  const labels = counted?.values.map(({ labels }) =>
    [labels['provider'], labels['resource'], labels['reason']].join(' '),
  );
  expect(labels).toEqual(
    expect.arrayContaining(['dexcom_v3 glucose impossible', 'oura heartrate impossible', 'strava workouts impossible']),
  );
});
