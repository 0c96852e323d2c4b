// https://developers.google.com/identity/protocols/oauth2/web-server, https://developers.google.com/health
import { textOf, type Connector } from '../connector.ts';

const scope = (name: string): string => `https://www.googleapis.com/auth/googlehealth.${name}.readonly`;
const ACTIVITY = scope('activity_and_fitness');
const METRICS = scope('health_metrics_and_measurements');
const SLEEP = scope('sleep');

export const connector: Connector = {
  slug: 'google_health',
  oauth: {
    authorize_url: 'https://accounts.google.com/o/oauth2/v2/auth',
    token_url: 'https://oauth2.googleapis.com/token',
    revoke: { url: 'https://oauth2.googleapis.com/revoke', token_in: 'body', parameter: 'token', token: 'refresh' },
    client_auth: 'body',
    scopes: [ACTIVITY, METRICS, SLEEP],
    scope_separator: ' ',
    pkce: true,
    // Google returns a refresh token only to requests with both parameters.
    authorize_with: { access_type: 'offline', prompt: 'consent' },
    externalUserId: () => null,
    identity: {
      url: 'https://health.googleapis.com/v4/users/me/identity',
      read: ({ healthUserId }) => textOf(healthUserId),
    },
  },
  scopes: {
    activity: { required: [ACTIVITY] },
    workouts: { required: [ACTIVITY] },
    steps: { required: [ACTIVITY] },
    distance: { required: [ACTIVITY] },
    calories_active: { required: [ACTIVITY] },
    vo2_max: { required: [ACTIVITY] },
    sleep: { required: [SLEEP] },
    sleep_cycle: { required: [SLEEP] },
    body: { required: [METRICS] },
    heartrate: { required: [METRICS] },
    hrv: { required: [METRICS] },
    respiratory_rate: { required: [METRICS] },
    weight: { required: [METRICS] },
    fat: { required: [METRICS] },
    glucose: { required: [METRICS] },
    blood_oxygen: { required: [METRICS] },
    body_temperature: { required: [METRICS] },
  },
};
