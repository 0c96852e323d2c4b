import type { DocumentedProvider } from './documented.ts';
import { LOCAL_TIME, takes, atMost, all } from './checks.ts';
import { FAR, noon, hourLater } from './stand-in-responses.ts';

const glucose = (value: number, at: string) => ({ systemTime: at, displayTime: at, value, unit: 'mmol/L' });

export const dexcomV3: DocumentedProvider = {
  hosts: ['api.dexcom.com', 'api.dexcom.eu'],
  historyDays: 30,
  authorise: { path: '/v3/oauth2/login', query: { scope: 'offline_access' } },
  token: { path: '/v3/oauth2/token', client: 'body' },
  calls: [
    [
      /^GET \/v3\/users\/self\/egvs$/,
      all(takes({ startDate: LOCAL_TIME, endDate: LOCAL_TIME }), atMost(30, ['startDate', 'endDate'])),
    ],
  ],
  play: () => ({ json: { records: [] } }),
  outOfBounds: [
    {
      responses: { egvs: { records: [glucose(FAR, noon), glucose(5.5, hourLater)] } },
      samples: { name: 'glucose', expected: [5.5] },
    },
  ],
};
