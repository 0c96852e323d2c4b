import type { Recipe } from './recipe.ts';

const FOLDER = 'src/wearables/providers/moonwatch';
const GUIDE = 'docs/guides/connect-a-provider.md';

/** Adds an invented provider, whose only data are walks. */
export const provider: Recipe = {
  heading: 'a provider of wearable data',
  edits: [
    {
      file: `${FOLDER}/facts.ts`,
      text: `import type { ConnectedFacts } from '../facts.ts';

export const facts = {
  name: 'Moonwatch',
  description: 'An invented watch.',
  auth_type: 'oauth',
  source_type: 'device',
  history_days: 60,
  resources: ['workouts'],
  application: { at: 'Moonwatch' },
  scopes_to_choose: ['walks'],
} satisfies ConnectedFacts;
`,
    },
    {
      file: `${FOLDER}/connect.ts`,
      text: `import { textOf, type Connector } from '../connector.ts';

export const connector: Connector = {
  slug: 'moonwatch',
  oauth: {
    authorize_url: 'https://api.moonwatch.example.com/authorize',
    token_url: 'https://api.moonwatch.example.com/token',
    revoke: { url: 'https://api.moonwatch.example.com/permissions', token_in: 'header', token: 'access' },
    client_auth: 'body',
    scopes: ['walks'],
    scope_separator: ' ',
    pkce: true,
    externalUserId: ({ userid }) => textOf(userid),
    identity: null,
  },
  scopes: { workouts: { required: ['walks'] } },
};
`,
    },
    {
      file: `${FOLDER}/import.ts`,
      text: `import { workout } from '../../summaries/resources/workout.ts';
import type { Importer } from '../importer.ts';
import { summariesOf, type Item } from '../responses/fitting.ts';
import type { ProviderApi } from '../provider-api.ts';
import {
  momentIn,
  nameIn,
  objectIn,
  objectsIn,
  numberOr,
  wholeOr,
  type ProviderObject,
} from '../responses/read-response.ts';

const api: ProviderApi = { slug: 'moonwatch' };

const MAPPERS = { workouts: { resource: workout, toItem: toWalk } } satisfies Importer['mappers'];

export const importer: Importer = {
  resources: { workouts: { windowDays: 60 } },
  pollDays: 3,
  pollEverySeconds: 7_200,
  mappers: MAPPERS,
  pull: async function* (source, _resource, { from, to }) {
    const url = 'https://api.moonwatch.example.com/walks';
    const response = objectIn(await source.ask(api, { url, query: { from, to } }));
    yield* summariesOf(source.ctx.log, MAPPERS.workouts, objectsIn(response['walks']));
  },
};

function toWalk(found: ProviderObject): Item {
  const time_start = momentIn(found['start']);
  const time_end = momentIn(found['end']);
  if (time_start === null || time_end === null) return null;
  return {
    provider: 'moonwatch',
    source_type: 'watch',
    provider_id: nameIn(found['id']),
    sport: 'walking',
    time_start,
    time_end,
    distance: numberOr(found['metres']),
    average_hr: wholeOr(found['heart_rate']),
  };
}
`,
    },
    {
      file: `${FOLDER}/provider.ts`,
      text: `import type { ConnectedProvider } from '../connected-provider.ts';
import { connector } from './connect.ts';
import { importer } from './import.ts';

export const moonwatch: ConnectedProvider = { connector, importer };
`,
    },
    {
      file: 'src/wearables/providers/provider-catalogue.ts',
      before: "import { facts as oura } from './",
      text: "import { facts as moonwatch } from './moonwatch/facts.ts';\n",
    },
    {
      file: 'src/wearables/providers/provider-catalogue.ts',
      after: 'export const PROVIDERS = {\n',
      text: '  moonwatch,\n',
    },
    {
      file: 'src/wearables/providers/registry.ts',
      before: "import { oura } from './",
      text: "import { moonwatch } from './moonwatch/provider.ts';\n",
    },
    {
      file: 'src/wearables/providers/registry.ts',
      after: 'const CONNECTED: readonly ConnectedProvider[] = [',
      text: 'moonwatch, ',
    },
    { file: 'src/wearables/providers/README.md', before: '`oura`, `polar`', text: '`moonwatch`, ' },
    { file: 'src/wearables/files/parse/makers.ts', before: '  [/polar/,', text: "  [/moonwatch/, 'moonwatch'],\n" },
    {
      file: 'test/providers/moonwatch.ts',
      text: `import type { DocumentedProvider } from './documented.ts';
import { MOMENT, nothing, takes } from './checks.ts';
import { hourLater, noon } from './stand-in-responses.ts';

const walk = (id: number, more: object = {}) => ({ id, start: noon, end: hourLater, metres: 4_000, ...more });

export const moonwatch: DocumentedProvider = {
  hosts: ['api.moonwatch.example.com'],
  historyDays: 60,
  authorise: { path: '/authorize', query: { scope: 'walks', code_challenge_method: 'S256' } },
  token: { path: '/token', client: 'body' },
  calls: [
    [/^DELETE \\/permissions$/, nothing],
    [/^GET \\/walks$/, takes({ from: MOMENT, to: MOMENT })],
  ],
  play: () => ({ json: { walks: [walk(1)] } }),
  outOfBounds: [
    {
      responses: { walks: { walks: [walk(1, { heart_rate: 9_000 })] } },
      summaries: { path: 'workouts', expected: [{ average_hr: null, distance: 4_000 }] },
    },
  ],
};
`,
    },
    {
      file: 'test/providers/documented-providers.ts',
      before: "import { oura } from './",
      text: "import { moonwatch } from './moonwatch.ts';\n",
    },
    { file: 'test/providers/documented-providers.ts', before: '  oura,\n', text: '  moonwatch,\n' },
    {
      file: `${FOLDER}/import.test.ts`,
      text: `import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { startProvider, type Provider } from '../../../../test/provider.ts';
import { moonwatch } from '../../../../test/providers/moonwatch.ts';
import { pulledFrom } from '../../../../test/pulled.ts';

let provider: Provider;
let app: TestApp;
beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp(provider.env('moonwatch'));
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

test('a user connects the invented watch, and its walks come', async () => {
  const { pulls, summaries } = await pulledFrom(app, provider, 'moonwatch', moonwatch.play, { authorises: true });
  expect(await pulls()).toEqual({ workouts: 'success' });
  expect(await summaries('workouts')).toMatchObject([{ provider_id: '1', distance: 4_000 }]);
});
`,
    },
    { file: GUIDE, instead: 'A user connects Oura, ', text: 'A user connects Moonwatch, Oura, ' },
    {
      file: GUIDE,
      before: '| Dexcom | nothing: it sends no notifications',
      text: '| Moonwatch | nothing: it sends no notifications | polls every two hours |\n',
    },
    { file: 'CHANGELOG.md', after: '# Changelog\n', text: '\n- Users connect the invented provider Moonwatch.\n' },
  ],
  updates: [
    'test/generated.test.ts',
    'test/openapi.test.ts',
    'test/openapi-shape.test.ts',
    'src/wearables/providers/calls.test.ts',
    'packages/client/src/generated.test.ts',
  ],
  untouched: {
    'wearables/providers/wahoo/': 'is an example to read',
    'wearables/providers/withings/': 'is an example to read',
    '.env.example': 'npm run options writes it',
    'docs/operate/options.md': 'npm run options writes it',
    'map.ts': 'the provider has few fields, which import.ts maps',
    'notifications.ts': 'the provider sends no notifications',
    'notifications.test.ts': 'the provider sends no notifications',
    'subscribe.ts': 'the provider sends no notifications',
    'test/provider.ts': 'is the stand-in of all providers',
    'wearables/link/oauth/oauth.test.ts': 'connects every provider that is registered',
  },
};
