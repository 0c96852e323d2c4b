// https://developer.withings.com/developer-guide/v3/integration-guide/public-health-data-api/get-access/oauth-web-flow
import { textOf, type Connector } from './connector.ts';

export const withings: Connector = {
  slug: 'withings',
  oauth: {
    authorize_url: 'https://account.withings.com/oauth2_user/authorize2',
    token_url: 'https://wbsapi.withings.net/v2/oauth2',
    revoke: null,
    client_auth: 'body',
    scopes: ['user.info', 'user.metrics', 'user.activity', 'user.sleepevents'],
    scope_separator: ',',
    pkce: false,
    token_with: { action: 'requesttoken' },
    // Every answer is 200; what is wrong with it says `status`, and what was asked for stands in `body`.
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
    heartrate: { required: ['user.metrics'], optional: ['user.activity'] },
    activity: { required: ['user.activity'] },
    workouts: { required: ['user.activity'] },
    steps: { required: ['user.activity'] },
    distance: { required: ['user.activity'] },
    floors_climbed: { required: ['user.activity'] },
    calories_active: { required: ['user.activity'] },
    sleep: { required: ['user.activity'], optional: ['user.sleepevents'] },
  },
};
