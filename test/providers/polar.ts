import type { DocumentedProvider } from './documented.ts';
import { DAY, takes, atMost, all, nothing } from './checks.ts';
import { DAY_MS, FAR, day, today, every, iso, idOf } from './stand-in-responses.ts';

export const polar: DocumentedProvider = {
  hosts: ['flow.polar.com', 'polarremote.com', 'www.polaraccesslink.com'],
  historyDays: 28,
  authorise: { path: '/oauth2/authorization', query: { scope: 'accesslink.read_all' } },
  token: { path: '/v2/oauth2/token', client: 'basic' },
  calls: [
    [/^POST \/v3\/users$/, nothing],
    [/^DELETE \/v3\/users\/[^/]+$/, nothing],
    [/^GET \/v3\/(exercises|users\/(physical-info|sleep|nightly-recharge))$/, nothing],
    [/^GET \/v3\/exercises\/[^/]+$/, takes({ samples: /^true$/, route: /^true$/ })],
    [
      /^GET \/v3\/users\/(activities|continuous-heart-rate)$/,
      all(takes({ from: DAY, to: DAY }), atMost(28, ['from', 'to'])),
    ],
  ],
  play: ({ path }) => {
    const exercises = every(2, today - 28 * DAY_MS, today).map((at) => ({
      id: `e${idOf(at)}`,
      start_time: iso(at).slice(0, 19),
      start_time_utc_offset: 0,
      duration: 'PT1H',
      sport: 'RUNNING',
      samples: [{ 'recording-rate': 5, 'sample-type': '0', data: '90,91,92' }],
    }));
    if (path.endsWith('/exercises')) return { json: exercises };
    const one = exercises.find(({ id }) => path.endsWith(`/exercises/${id}`));
    return one ? { json: one } : { status: 204 };
  },
  outOfBounds: [
    {
      responses: {
        'users/sleep': {
          nights: [
            { date: day, sleep_start_time: `${day}T00:00:00Z`, sleep_end_time: `${day}T08:00:00Z`, sleep_score: 500 },
          ],
        },
        'users/nightly-recharge': {
          recharges: [{ date: day, heart_rate_avg: 54, hrv_samples: { '01:00': FAR, '02:00': 48 } }],
        },
      },
      summaries: { path: 'sleep', expected: [{ score: null, hr_average: 54, total: 28_800 }] },
      samples: { name: 'hrv', expected: [48] },
    },
  ],
};
