// https://developer.withings.com/developer-guide/v3/integration-guide/public-health-data-api/get-access/oauth-web-flow
import { textOf, type Connector } from '../connector.ts';

/** The address at which subscriptions begin and end, with the user's access token. */
export const NOTIFY = 'https://wbsapi.withings.net/notify';

/** Withings' categories of notifications (`appli`), each with the scope that it needs. */
export const NOTIFY_CATEGORIES: readonly (readonly [appli: string, scope: string])[] = [
  ['1', 'user.metrics'],
  ['2', 'user.metrics'],
  ['4', 'user.metrics'],
  ['16', 'user.activity'],
  ['44', 'user.activity'],
  ['46', 'user.info'],
];

export const connector: Connector = {
  slug: 'withings',
  oauth: {
    authorize_url: 'https://account.withings.com/oauth2_user/authorize2',
    token_url: 'https://wbsapi.withings.net/v2/oauth2',
    // An application cannot revoke a token at Withings. It can only end the notifications about the user.
    revoke: {
      url: NOTIFY,
      token_in: 'header',
      token: 'access',
      forms: (callbackurl) => NOTIFY_CATEGORIES.map(([appli]) => ({ action: 'revoke', callbackurl, appli })),
    },
    client_auth: 'body',
    scopes: ['user.info', 'user.metrics', 'user.activity', 'user.sleepevents'],
    scope_separator: ',',
    pkce: false,
    token_with: { action: 'requesttoken' },
    // Every response has HTTP status 200. In it, `status` is Withings' code and `body` the content.
    unwrap: ({ status, body }) =>
      status === 0 ? (body as Record<string, unknown>) : { error: `withings_${textOf(status) ?? 'unknown'}` },
    identity: null,
    externalUserId: ({ userid }) => textOf(userid),
  },
  scopes: {
    body: { required: ['user.metrics'] },
    weight: { required: ['user.metrics'] },
    fat: { required: ['user.metrics'] },
    blood_pressure: { required: ['user.metrics'] },
    blood_oxygen: { required: ['user.metrics'] },
    body_temperature: { required: ['user.metrics'] },
    vo2_max: { required: ['user.metrics'] },
    activity: { required: ['user.activity'] },
    workouts: { required: ['user.activity'] },
    steps: { required: ['user.activity'] },
    heartrate: { required: ['user.activity'] },
    distance: { required: ['user.activity'] },
    floors_climbed: { required: ['user.activity'] },
    calories_active: { required: ['user.activity'] },
    sleep: { required: ['user.activity'], optional: ['user.sleepevents'] },
    sleep_cycle: { required: ['user.activity'] },
  },
};
