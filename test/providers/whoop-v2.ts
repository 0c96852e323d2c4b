import type { DocumentedProvider } from './documented.ts';
import { MOMENT, takes, nothing } from './checks.ts';
import { FAR, day, noon, hourLater, daysBetween, paged } from './stand-in-responses.ts';

const whoopPage = takes({ start: MOMENT, end: MOMENT, limit: /^([1-9]|1\d|2[0-5])$/ }, { nextToken: /./ });
const recovery = (hrv_rmssd_milli: number, created_at: string) => ({
  sleep_id: 'night-1',
  created_at,
  score: { recovery_score: 400, resting_heart_rate: 54, hrv_rmssd_milli },
});
const millis = (hours: number): number => hours * 3_600_000;

export const whoopV2: DocumentedProvider = {
  hosts: ['api.prod.whoop.com'],
  historyDays: 180,
  authorise: {
    path: '/oauth/oauth2/auth',
    query: {
      scope: 'offline read:profile read:body_measurement read:cycles read:recovery read:sleep read:workout',
    },
  },
  token: { path: '/oauth/oauth2/token', client: 'body', renewal: { scope: 'offline' } },
  calls: [
    [/^DELETE \/developer\/v2\/user\/access$/, nothing],
    [/^GET \/developer\/v2\/user\/(profile\/basic|measurement\/body)$/, nothing],
    [/^GET \/developer\/v2\/(cycle|recovery|activity\/sleep|activity\/workout)$/, whoopPage],
    [/^GET \/developer\/v2\/activity\/(sleep|workout)\/[^/]+$/, nothing],
    [/^GET \/developer\/v2\/cycle\/[^/]+\/recovery$/, nothing],
  ],
  play: (request) => {
    if (request.path.endsWith('/measurement/body')) return { json: { height_meter: 1.7, weight_kilogram: 60 } };
    const days = daysBetween(request.query.get('start') ?? '', request.query.get('end') ?? '');
    const rows = Math.floor(days * (request.path.endsWith('/workout') ? 0.5 : 1));
    return paged(request, rows, 25, { records: [] }, ['next_token', 'nextToken']);
  },
  outOfBounds: [
    {
      responses: {
        recovery: { records: [recovery(FAR, noon), recovery(48, hourLater)] },
        'activity/sleep': {
          records: [
            {
              id: 'night-1',
              start: `${day}T00:00:00Z`,
              end: `${day}T08:00:00Z`,
              timezone_offset: '-99:00',
              score: {
                sleep_performance_percentage: 91,
                stage_summary: {
                  total_light_sleep_time_milli: millis(4),
                  total_slow_wave_sleep_time_milli: millis(2),
                  total_rem_sleep_time_milli: millis(1),
                  total_awake_time_milli: millis(1_000),
                },
              },
            },
          ],
        },
      },
      summaries: {
        path: 'sleep',
        expected: [
          { score: 91, total: 25_200, awake: 0, recovery_readiness_score: null, hr_resting: 54, timezone_offset: null },
        ],
      },
      samples: { name: 'hrv', expected: [48] },
    },
  ],
};
