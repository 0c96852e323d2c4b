// https://developers.strava.com/docs/authentication
import { textOf, type Connector } from '../connector.ts';

export const connector: Connector = {
  slug: 'strava',
  oauth: {
    authorize_url: 'https://www.strava.com/oauth/authorize',
    token_url: 'https://www.strava.com/oauth/token',
    revoke: {
      url: 'https://www.strava.com/oauth/deauthorize',
      token_in: 'body',
      parameter: 'access_token',
      token: 'access',
    },
    client_auth: 'body',
    scopes: ['read', 'activity:read_all', 'profile:read_all'],
    always_scopes: ['read'],
    scope_separator: ',',
    pkce: false,
    authorize_with: { approval_prompt: 'auto' },
    externalUserId: ({ athlete }) => textOf((athlete as { id?: unknown } | undefined)?.id),
    identity: null,
  },
  // Strava's API agreement requires deletion within 30 days. Two days are left in case the service is not running.
  deletes_data_after_days: 28,
  scopes: {
    profile: { required: ['profile:read_all'] },
    workouts: { required: ['activity:read_all'] },
    workout_stream: { required: ['activity:read_all'] },
  },
};
