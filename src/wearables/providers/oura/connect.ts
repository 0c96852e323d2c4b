// https://cloud.ouraring.com/docs/authentication
import { textOf, type Connector } from '../connector.ts';

export const connector: Connector = {
  slug: 'oura',
  oauth: {
    authorize_url: 'https://cloud.ouraring.com/oauth/authorize',
    token_url: 'https://api.ouraring.com/oauth/token',
    revoke: {
      url: 'https://api.ouraring.com/oauth/revoke',
      token_in: 'query',
      parameter: 'access_token',
      token: 'access',
    },
    client_auth: 'body',
    // The scopes that bring data. A team can choose more, for example `tag` or `session`.
    scopes: ['personal', 'daily', 'heartrate', 'workout', 'spo2', 'heart_health'],
    always_scopes: ['personal'],
    scope_separator: ' ',
    pkce: false,
    // A response may name a granted scope `extapi:daily` where a request has `daily`.
    grantedScope: (scope) => scope.replace(/^extapi:/, ''),
    externalUserId: () => null,
    identity: {
      url: 'https://api.ouraring.com/v2/usercollection/personal_info',
      read: ({ id }) => textOf(id),
    },
  },
  scopes: {
    profile: { required: ['personal'] },
    activity: { required: ['daily'] },
    sleep: { required: ['daily'], optional: ['heartrate'] },
    sleep_cycle: { required: ['daily'] },
    steps: { required: ['daily'] },
    distance: { required: ['daily'] },
    calories_active: { required: ['daily'] },
    hrv: { required: ['daily'] },
    respiratory_rate: { required: ['daily'] },
    workouts: { required: ['workout'] },
    heartrate: { required: ['heartrate'] },
    blood_oxygen: { required: ['spo2'] },
    vo2_max: { required: ['heart_health'] },
  },
};
