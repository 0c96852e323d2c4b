/**
 * What each provider's interface is like, written out by hand from its public documentation: where it is asked for consent, for
 * tokens, for their end and for data, and by which parameters. The stand-in takes nothing else.
 */
type Values = Readonly<Record<string, string>>;

/** A request as the stand-in reads it: the fields of a form, or of JSON, are `fields`. */
export type Asked = { method: string; path: string; query: Values; fields: Values; json: unknown };

/** What is wrong with the parameters of a call; null: nothing. */
type Check = (asked: Asked) => string | null;
type Call = readonly [call: RegExp, check?: Check];

type ProviderFacts = {
  authorise: { path: string; query: Values };
  token: { path: string; client: 'body' | 'basic'; fields?: Values; renewal?: Values };
  calls: readonly Call[];
};

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;
const WALL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/;
const WHOLE = /^\d+$/;

/** Exactly these parameters, each as its pattern says; `maybe` may be missing. */
const takes =
  (needed: Record<string, RegExp>, maybe: Record<string, RegExp> = {}, where: 'query' | 'fields' = 'query'): Check =>
  (asked) => {
    const given = asked[where];
    const all = { ...needed, ...maybe };
    for (const name of Object.keys(needed)) if (given[name] === undefined) return `${name} is missing`;
    for (const [name, value] of Object.entries(given)) {
      const pattern = Object.hasOwn(all, name) ? all[name] : undefined;
      if (!pattern?.test(value)) return `${name}=${value} is not taken`;
    }
    return null;
  };

/** At most so many days lie between two parameters. */
const atMost =
  (days: number, [from, to]: readonly [string, string], where: 'query' | 'fields' = 'query'): Check =>
  (asked) => {
    const [begin, end] = [from, to].map((name) => {
      const text = asked[where][name] ?? '';
      if (WHOLE.test(text)) return Number(text) * 1_000;
      return Date.parse(WALL.test(text) ? `${text}Z` : text);
    }) as [number, number];
    return end - begin <= days * DAY_MS && end >= begin ? null : `${from} to ${to} is not within ${days} days`;
  };

const all =
  (...checks: Check[]): Check =>
  (asked) =>
    checks.reduce<string | null>((found, check) => found ?? check(asked), null);

const nothing = takes({});
const google = (name: string): string => `https://www.googleapis.com/auth/googlehealth.${name}.readonly`;

/** By data type: which field of it is filtered by, and whether sources are merged. */
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
    return `filter=${asked.query['filter']} is not taken`;
  return takes({ filter: /./, pageSize: /^([1-9]\d{0,3}|10000)$/ }, { pageToken: /./ })(asked);
};

const googleRollUp: Check = ({ json }) => {
  type Edge = { date: { year: number; month: number; day: number } };
  const { range, windowSizeDays } = json as { range: { start: Edge; end: Edge }; windowSizeDays: number };
  const dayOf = ({ date: { year, month, day } }: Edge): number => Date.UTC(year, month - 1, day) / DAY_MS;
  const days = dayOf(range.end) - dayOf(range.start);
  return windowSizeDays === 1 && days > 0 && days <= 14 ? null : `a range of ${days} days is not taken`;
};

const ouraDays = takes({ start_date: DAY, end_date: DAY }, { next_token: /./ });
const whoopPage = takes({ start: MOMENT, end: MOMENT, limit: /^([1-9]|1\d|2[0-5])$/ }, { nextToken: /./ });
const oldAndNew = (name: string) => ({
  [`start${name}`]: name === 'date' ? WHOLE : DAY,
  [`end${name}`]: name === 'date' ? WHOLE : DAY,
});

/** Withings tells its calls apart by a field. */
const action =
  (actions: Record<string, Check>): Check =>
  (asked) =>
    (actions[asked.fields['action'] ?? ''] ?? (() => `action=${asked.fields['action']} is not taken`))(asked);
const withings = (name: string, needed: Record<string, RegExp>, maybe: Record<string, RegExp> = {}): Check =>
  takes({ action: new RegExp(`^${name}$`), ...needed }, { offset: WHOLE, ...maybe }, 'fields');
const fieldsList = { data_fields: /^[a-z_]+(,[a-z_]+)*$/ };
const category = { callbackurl: /^https?:/, appli: WHOLE };

const PROVIDER_FACTS: Readonly<Record<string, ProviderFacts>> = {
  google_health: {
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
  },
  dexcom_v3: {
    authorise: { path: '/v3/oauth2/login', query: { scope: 'offline_access' } },
    token: { path: '/v3/oauth2/token', client: 'body' },
    calls: [
      [
        /^GET \/v3\/users\/self\/egvs$/,
        all(takes({ startDate: WALL, endDate: WALL }), atMost(30, ['startDate', 'endDate'])),
      ],
    ],
  },
  oura: {
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
  },
  polar: {
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
  },
  strava: {
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
  },
  wahoo: {
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
  },
  whoop_v2: {
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
  },
  withings: {
    authorise: {
      path: '/oauth2_user/authorize2',
      query: { scope: 'user.info,user.metrics,user.activity,user.sleepevents' },
    },
    token: { path: '/v2/oauth2', client: 'body', fields: { action: 'requesttoken' } },
    calls: [
      [
        /^POST \/measure$/,
        action({
          getmeas: withings('getmeas', { meastypes: /^\d+(,\d+)*$/, category: /^1$/, ...oldAndNew('date') }),
        }),
      ],
      [
        /^POST \/v2\/measure$/,
        action({
          getactivity: withings('getactivity', { ...fieldsList, ...oldAndNew('dateymd') }),
          getworkouts: withings('getworkouts', { ...fieldsList, ...oldAndNew('dateymd') }),
          getintradayactivity: all(
            withings('getintradayactivity', { ...fieldsList, ...oldAndNew('date') }),
            atMost(1, ['startdate', 'enddate'], 'fields'),
          ),
        }),
      ],
      [
        /^POST \/v2\/sleep$/,
        action({
          getsummary: withings('getsummary', { ...fieldsList, ...oldAndNew('dateymd') }),
          get: all(
            withings('get', { ...fieldsList, ...oldAndNew('date') }),
            atMost(1, ['startdate', 'enddate'], 'fields'),
          ),
        }),
      ],
      [
        /^POST \/notify$/,
        action({
          list: withings('list', {}),
          revoke: withings('revoke', category),
          subscribe: withings('subscribe', category, { comment: /./ }),
        }),
      ],
    ],
  },
};

/** An application is named after its provider, and a further one there has its own name behind that. */
const clientOf = (id: string | undefined): string => (id ?? '').replace(/^client-of-(\w+)(-.*)?$/, '$1');

/** What is wrong with a browser that comes to a provider's page; null where it is as it should be. */
export function problemOfAuthorisation(path: string, query: Values, scope: string | null): string | null {
  const facts = PROVIDER_FACTS[clientOf(query['client_id'])];
  if (!facts) return `nobody is ${query['client_id']}`;
  if (facts.authorise.path !== path) return `consent is not asked for at ${path}`;
  const needed = { response_type: 'code', ...facts.authorise.query, ...(scope !== null && { scope }) };
  for (const [name, value] of Object.entries(needed))
    if (query[name] !== value) return `${name}=${query[name]} is not taken`;
  if ('code_challenge_method' in needed !== 'code_challenge' in query)
    return 'the proof for the code is not as it should be';
  for (const name of ['redirect_uri', 'state']) if (!query[name]) return `${name} is missing`;
  return (query['state'] ?? '').length >= 8 ? null : 'the state is too short';
}

/** What is wrong with a request for tokens. */
export function problemOfTokenRequest(path: string, fields: Values, authorization: string | undefined): string | null {
  const [, pair = ''] = /^Basic (.+)$/.exec(authorization ?? '') ?? [];
  const [basic] = Buffer.from(pair, 'base64').toString().split(':');
  const slug = clientOf(fields['client_id'] ?? basic);
  const facts = PROVIDER_FACTS[slug]?.token;
  if (!facts) return `nobody is ${slug}`;
  if (facts.path !== path) return `tokens are not asked for at ${path}`;
  if ((facts.client === 'basic') !== (pair !== '')) return 'the client does not stand where it should';
  const isRenewal = fields['grant_type'] === 'refresh_token';
  for (const [name, value] of Object.entries({ ...facts.fields, ...(isRenewal ? facts.renewal : {}) }))
    if (fields[name] !== value) return `${name}=${fields[name]} is not taken`;
  return isRenewal || fields['grant_type'] === 'authorization_code' ? null : `grant_type=${fields['grant_type']}`;
}

/** Whether tokens are asked for here, at any provider. */
export const isTokenPath = (path: string): boolean =>
  Object.values(PROVIDER_FACTS).some(({ token }) => token.path === path);

/** What is wrong with any other call: no provider has it, or not with these parameters. */
export function problemOfCall(asked: Asked): string | null {
  const call = `${asked.method} ${asked.path}`;
  const found = Object.values(PROVIDER_FACTS).flatMap(({ calls }) => calls.filter(([pattern]) => pattern.test(call)));
  if (found.length === 0) return `${call} is no call of any provider`;
  const problems = found.map(([, check]) => check?.(asked) ?? null);
  return problems.includes(null) ? null : `${call}: ${problems[0]}`;
}
