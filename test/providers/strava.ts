import type { DocumentedProvider } from './documented.ts';
import { WHOLE, takes, nothing } from './checks.ts';
import { noon, today, every, iso, idOf } from './stand-in-responses.ts';

const workoutOf = (id: number, average_heartrate: number, days: number) => ({
  id,
  sport_type: 'Run',
  start_date: new Date(Date.parse(noon) - days * 86_400_000).toISOString(),
  elapsed_time: days * 86_400 + 60,
  distance: 5_000,
  average_heartrate,
});

export const strava: DocumentedProvider = {
  hosts: ['www.strava.com'],
  historyDays: 14,
  authorise: {
    path: '/oauth/authorize',
    query: { scope: 'read,activity:read_all,profile:read_all', approval_prompt: 'auto' },
  },
  token: { path: '/oauth/token', client: 'body' },
  calls: [
    [/^POST \/oauth\/deauthorize$/, takes({ access_token: /./ }, {}, 'fields')],
    [/^GET \/api\/v3\/athlete$/, nothing],
    [
      /^GET \/api\/v3\/athlete\/activities$/,
      takes({ after: WHOLE, before: WHOLE, page: WHOLE, per_page: /^([1-9]\d?|1\d\d|200)$/ }),
    ],
    [/^GET \/api\/v3\/activities\/[^/]+$/, nothing],
    [
      /^GET \/api\/v3\/activities\/[^/]+\/streams$/,
      takes({
        keys: /^(time|distance|latlng|altitude|velocity_smooth|heartrate|cadence|watts|temp|,)+$/,
        key_by_type: /^true$/,
      }),
    ],
    [/^GET \/api\/v3\/push_subscriptions$/, takes({ client_id: /./, client_secret: /./ })],
    [/^DELETE \/api\/v3\/push_subscriptions\/[^/]+$/, takes({ client_id: /./, client_secret: /./ })],
    [
      /^POST \/api\/v3\/push_subscriptions$/,
      takes({ client_id: /./, client_secret: /./, callback_url: /^https?:/, verify_token: /./ }, {}, 'fields'),
    ],
  ],
  play: ({ path, query }) => {
    const of = (from: number, to: number) =>
      every(2, from, to).map((at) => ({
        id: idOf(at),
        sport_type: 'Run',
        start_date: iso(at),
        elapsed_time: 1_800,
        distance: 5_000,
      }));
    if (path.endsWith('/athlete')) return { json: { id: 1 } };
    if (path.endsWith('/streams')) return { json: { time: { data: [0, 1] }, heartrate: { data: [90, 91] } } };
    const [, id] = /\/activities\/(\d+)$/.exec(path) ?? [];
    const one = of(0, today).find((each) => String(each.id) === id);
    if (one) return { json: { ...one, resource_state: 3, calories: 300 } };
    if (Number(query.get('page')) > 1) return { json: [] };
    return { json: of(Number(query.get('after')) * 1_000, Number(query.get('before')) * 1_000) };
  },
  outOfBounds: [
    {
      // The activity of 20 days is left out: somebody forgot to stop it.
      responses: {
        'athlete/activities': [workoutOf(1, 9_000, 0), workoutOf(2, 140, 20)],
        'activities/1': { ...workoutOf(1, 9_000, 0), calories: 300 },
        'activities/2': { ...workoutOf(2, 140, 20), calories: 300 },
      },
      summaries: { path: 'workouts', expected: [{ average_hr: null, distance: 5_000 }] },
    },
  ],
};
