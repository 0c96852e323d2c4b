import type { DocumentedProvider } from './documented.ts';
import { DAY, MOMENT, takes, atMost, all, nothing } from './checks.ts';
import { FAR, day, noon, hourLater } from './stand-in-responses.ts';

const ouraDays = takes({ start_date: DAY, end_date: DAY }, { next_token: /./ });

export const oura: DocumentedProvider = {
  hosts: ['api.ouraring.com', 'cloud.ouraring.com'],
  historyDays: 180,
  authorise: {
    path: '/oauth/authorize',
    query: { scope: 'personal daily heartrate workout spo2 heart_health' },
  },
  token: { path: '/oauth/token', client: 'body' },
  calls: [
    [/^POST \/oauth\/revoke$/, takes({ access_token: /./ })],
    [/^GET \/v2\/usercollection\/personal_info$/, nothing],
    [/^GET \/v2\/usercollection\/(daily_activity|daily_sleep|sleep|workout|daily_spo2|vO2_max)$/, ouraDays],
    [/^GET \/v2\/usercollection\/(daily_activity|sleep|workout)\/[^/]+$/, nothing],
    [
      /^GET \/v2\/usercollection\/heartrate$/,
      all(
        takes({ start_datetime: MOMENT, end_datetime: MOMENT }, { next_token: /./ }),
        atMost(30, ['start_datetime', 'end_datetime']),
      ),
    ],
    [/^(GET|POST) \/v2\/webhook\/subscription$/, nothing],
    [/^PUT \/v2\/webhook\/subscription\/renew\/[^/]+$/, nothing],
  ],
  play: ({ path }) => (path.endsWith('personal_info') ? { json: { id: 'a' } } : { json: { data: [] } }),
  outOfBounds: [
    {
      responses: {
        daily_activity: { data: [{ id: '1', day, timestamp: noon, steps: 5_000_000, active_calories: 300 }] },
        heartrate: {
          data: [
            { bpm: -FAR, timestamp: noon },
            { bpm: 60, timestamp: hourLater },
          ],
        },
      },
      summaries: { path: 'activity', expected: [{ steps: null, calories_active: 300 }] },
      samples: { name: 'heartrate', expected: [60] },
    },
  ],
};
