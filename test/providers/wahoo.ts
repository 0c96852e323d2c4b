import type { DocumentedProvider } from './documented.ts';
import { WHOLE, takes, nothing } from './checks.ts';
import { noon, today, every, iso, idOf } from './stand-in-responses.ts';

const ridden = (id: number, changes: object) => ({
  id,
  starts: noon,
  workout_type_id: 0,
  workout_summary: { duration_total_accum: '3600.0', distance_accum: '20000.0', ...changes },
});

export const wahoo: DocumentedProvider = {
  hosts: ['api.wahooligan.com'],
  historyDays: 180,
  authorise: {
    path: '/oauth/authorize',
    query: { scope: 'user_read workouts_read offline_data', code_challenge_method: 'S256' },
  },
  token: { path: '/oauth/token', client: 'body' },
  calls: [
    [/^DELETE \/v1\/permissions$/, nothing],
    [/^GET \/v1\/user$/, nothing],
    [/^GET \/v1\/workouts$/, takes({ page: WHOLE, per_page: WHOLE })],
    [/^GET \/v1\/workouts\/[^/]+$/, nothing],
  ],
  play: ({ path, query }) => {
    if (path.endsWith('/user')) return { json: { id: 1 } };
    const page = Number(query.get('page'));
    const all = every(2, 0, today).map((at) => ({
      id: idOf(at),
      starts: iso(at),
      workout_type_id: 0,
      workout_summary: { duration_total_accum: '1800.0' },
    }));
    return { json: { workouts: all.slice((page - 1) * 60, page * 60), order: 'descending' } };
  },
  outOfBounds: [
    {
      responses: {
        workouts: { workouts: [ridden(1, { heart_rate_avg: '9000.0' }), ridden(2, { duration_total_accum: '1e300' })] },
      },
      summaries: { path: 'workouts', expected: [{ average_hr: null, distance: 20_000 }] },
    },
  ],
};
