import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { DOCUMENTED } from '../../../test/providers/documented-providers.ts';
import { sources } from '../../../test/source-files.ts';
import { EVENT_NAMES } from '../../events/names.ts';
import { PROVIDER_SLUGS } from './provider-catalogue.ts';

type Provider = { slug: string; logo: string; auth_type: string; supported_resources: string[] };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ PHIAL_BASE_URL: 'https://phial.example.com' });
});
afterAll(() => app.close());

const providers = async (query = ''): Promise<Provider[]> =>
  (await app.api<Provider[]>('GET', `/v2/providers${query}`)).body;

describe('the providers', () => {
  test('are all listed, with how they are connected and the address of their picture', async () => {
    const all = await providers();
    expect(all.map(({ slug }) => slug)).toEqual(PROVIDER_SLUGS);
    expect(all.find(({ slug }) => slug === 'strava')).toEqual({
      name: 'Strava',
      slug: 'strava',
      description: 'An app for running, riding and other sports.',
      logo: 'https://phial.example.com/logos/strava.svg',
      auth_type: 'oauth',
      supported_resources: ['profile', 'workouts', 'workout_stream'],
    });
  });

  test('bring only resources that events have, by the same names', async () => {
    const eventWords = new Set(EVENT_NAMES.map((name) => name.split('.').at(-2)));
    const unknown = (await providers()).flatMap(({ supported_resources }) =>
      supported_resources.filter((resource) => !eventWords.has(resource) && resource !== 'hypnogram'),
    );
    expect(unknown).toEqual([]);
  });

  test('are listed by their kind; an unknown kind gives an empty list', async () => {
    const apps = (await providers('?source_type=app')).map(({ slug }) => slug);
    expect(apps).toEqual(expect.arrayContaining(['strava', 'apple_health_kit']));
    expect(apps).not.toContain('oura');
    expect(await providers('?source_type=spaceship')).toEqual([]);
  });
});

describe('the picture of a provider', () => {
  const read = (slug: string): Promise<Response> => fetch(`${app.baseUrl}/logos/${slug}.svg`);

  test('is served for each of them without a key, may be cached, and runs no script', async () => {
    for (const slug of PROVIDER_SLUGS) {
      const response = await read(slug);
      expect([slug, response.status, response.headers.get('content-type')]).toEqual([
        slug,
        200,
        'image/svg+xml; charset=utf-8',
      ]);
      expect(response.headers.get('cache-control')).toBe('public, max-age=86400');
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(await response.text()).toMatch(/^<svg [^]*<\/svg>$/);
    }
  });

  test('of an unknown provider is not found', async () => {
    for (const slug of ['nobody', 'constructor', '..%2Foura']) expect((await read(slug)).status).toBe(404);
  });
});

// The simulated providers of the other tests see only paths. So this test compares the hosts.
test.each(Object.entries(DOCUMENTED))('%s gets requests only at the hosts of its documentation', (slug, { hosts }) => {
  const code = sources
    .filter(({ file }) => file.startsWith(`src/wearables/providers/${slug.replaceAll('_', '-')}/`))
    .map(({ text }) => text.replaceAll(/^\s*(\/?\*|\/\/).*$/gm, ''))
    .join('\n');
  const found = [...code.matchAll(/https?:\/\/([^/'`$]+)/g)].map(([, host]) => host as string);
  expect([...new Set(found)].toSorted()).toEqual(hosts);
});
