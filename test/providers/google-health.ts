import type { DocumentedProvider } from './documented.ts';
import { DAY, MOMENT, takes, nothing, type Check } from './checks.ts';
import { DAY_MS, FAR, noon, hourLater, daysBetween, paged, longAgo } from './stand-in-responses.ts';

const google = (name: string): string => `https://www.googleapis.com/auth/googlehealth.${name}.readonly`;

/** By data type: the field of its filter, and whether sources are merged. */
const GOOGLE_TYPES: Record<string, readonly [field: string, pattern: RegExp, method: '' | ':reconcile']> = {
  steps: ['steps.interval.start_time', MOMENT, ':reconcile'],
  distance: ['distance.interval.start_time', MOMENT, ':reconcile'],
  'active-energy-burned': ['active_energy_burned.interval.start_time', MOMENT, ':reconcile'],
  'heart-rate': ['heart_rate.sample_time.physical_time', MOMENT, ':reconcile'],
  'heart-rate-variability': ['heart_rate_variability.sample_time.physical_time', MOMENT, ':reconcile'],
  'daily-respiratory-rate': ['daily_respiratory_rate.date', DAY, ':reconcile'],
  weight: ['weight.sample_time.physical_time', MOMENT, ':reconcile'],
  'body-fat': ['body_fat.sample_time.physical_time', MOMENT, ':reconcile'],
  'blood-glucose': ['blood_glucose.sample_time.physical_time', MOMENT, ':reconcile'],
  'oxygen-saturation': ['oxygen_saturation.sample_time.physical_time', MOMENT, ':reconcile'],
  'core-body-temperature': ['core_body_temperature.sample_time.physical_time', MOMENT, ':reconcile'],
  'run-vo2-max': ['run_vo2_max.sample_time.physical_time', MOMENT, ':reconcile'],
  sleep: ['sleep.interval.end_time', MOMENT, ''],
  exercise: ['exercise.interval.civil_start_time', DAY, ''],
};

const googlePoints: Check = (asked) => {
  const [, type = '', method = ''] = /dataTypes\/([^/]+)\/dataPoints(:\w+)?$/.exec(asked.path) ?? [];
  const fact = GOOGLE_TYPES[type];
  if (!fact) return `${type} is no data type`;
  if (fact[2] !== method) return `${type} is asked for with ${method || 'no method'}`;
  const [, field, from = '', same, to = ''] =
    /^(\S+) >= "([^"]+)" AND (\S+) < "([^"]+)"$/.exec(asked.query['filter'] ?? '') ?? [];
  if (field !== fact[0] || same !== field || !fact[1].test(from) || !fact[1].test(to))
    return `filter=${asked.query['filter']} is not accepted`;
  return takes({ filter: /./, pageSize: /^([1-9]\d{0,3}|10000)$/ }, { pageToken: /./ })(asked);
};

const googleRollUp: Check = ({ json }) => {
  type Edge = { date: { year: number; month: number; day: number } };
  const { range, windowSizeDays } = json as { range: { start: Edge; end: Edge }; windowSizeDays: number };
  const dayOf = ({ date: { year, month, day } }: Edge): number => Date.UTC(year, month - 1, day) / DAY_MS;
  const days = dayOf(range.end) - dayOf(range.start);
  return windowSizeDays === 1 && days > 0 && days <= 14 ? null : `a range of ${days} days is not accepted`;
};

const googleTime = (at: string) => ({ physicalTime: at, utcOffset: '0s' });

export const googleHealth: DocumentedProvider = {
  hosts: [
    'accounts.google.com',
    'health.googleapis.com',
    'oauth2.googleapis.com',
    // Parts of the names of scopes.
    'www.googleapis.com',
  ],
  historyDays: 90,
  authorise: {
    path: '/o/oauth2/v2/auth',
    query: {
      scope: ['activity_and_fitness', 'health_metrics_and_measurements', 'sleep'].map(google).join(' '),
      access_type: 'offline',
      prompt: 'consent',
      code_challenge_method: 'S256',
    },
  },
  token: { path: '/token', client: 'body' },
  calls: [
    [/^POST \/revoke$/, takes({ token: /./ }, {}, 'fields')],
    [/^GET \/v4\/users\/me\/identity$/, nothing],
    [/^GET \/v4\/users\/me\/dataTypes\/[a-z0-9-]+\/dataPoints(:reconcile)?$/, googlePoints],
    [
      /^POST \/v4\/users\/me\/dataTypes\/(steps|distance|active-energy-burned|total-calories|floors)\/dataPoints:dailyRollUp$/,
      googleRollUp,
    ],
  ],
  play: (request) => {
    const [, type = '', how] = /dataTypes\/([^/]+)\/dataPoints(:\w+)?$/.exec(request.path) ?? [];
    if (how === ':dailyRollUp') return { json: {} };
    const [from = '', to = ''] = [...(request.query.get('filter') ?? '').matchAll(/"([^"]+)"/g)].map(([, at]) => at);
    const days = daysBetween(from, to);
    // Heart rate every minute around the clock, movement every minute while awake, the rest a few times a day.
    const aDay = {
      'heart-rate': 1_440,
      steps: 300,
      distance: 300,
      'active-energy-burned': 900,
      sleep: 1,
      exercise: 0.5,
    };
    const rows = Math.floor(days * (aDay[type as 'steps'] ?? 4));
    const size = Number(request.query.get('pageSize'));
    return paged(request, rows, size, { dataPoints: [] }, ['nextPageToken', 'pageToken']);
  },
  outOfBounds: [
    {
      responses: {
        'weight/dataPoints:reconcile': {
          dataPoints: [{ weight: { sampleTime: googleTime(noon), weightGrams: 5_000_000 } }],
        },
        'body-fat/dataPoints:reconcile': {
          dataPoints: [{ bodyFat: { sampleTime: googleTime(noon), percentage: 22 } }],
        },
        'steps/dataPoints:reconcile': {
          dataPoints: [
            { steps: { interval: { startTime: noon, endTime: hourLater }, count: FAR } },
            { steps: { interval: { startTime: longAgo, endTime: noon }, count: 90_000 } },
            { steps: { interval: { startTime: hourLater, endTime: hourLater, startUtcOffset: '99999s' }, count: 61 } },
          ],
        },
      },
      summaries: { path: 'body', expected: [{ weight: null, fat: 22 }] },
      samples: { name: 'steps', expected: [61] },
    },
  ],
};
