// https://developer.whoop.com/docs/developing/oauth
import { textOf, type Connector } from '../connector.ts';

export const connector: Connector = {
  slug: 'whoop_v2',
  oauth: {
    authorize_url: 'https://api.prod.whoop.com/oauth/oauth2/auth',
    token_url: 'https://api.prod.whoop.com/oauth/oauth2/token',
    revoke: { url: 'https://api.prod.whoop.com/developer/v2/user/access', token_in: 'header', token: 'access' },
    client_auth: 'body',
    scopes: [
      'offline',
      'read:profile',
      'read:body_measurement',
      'read:cycles',
      'read:recovery',
      'read:sleep',
      'read:workout',
    ],
    always_scopes: ['offline', 'read:profile'],
    scope_separator: ' ',
    pkce: false,
    // Without this scope, the response would have no refresh token for the next renewal.
    renew_with: { scope: 'offline' },
    externalUserId: () => null,
    identity: {
      url: 'https://api.prod.whoop.com/developer/v2/user/profile/basic',
      read: ({ user_id }) => textOf(user_id),
    },
  },
  scopes: {
    profile: { required: ['read:body_measurement'] },
    body: { required: ['read:body_measurement'] },
    activity: { required: ['read:cycles'] },
    sleep: { required: ['read:sleep', 'read:recovery'] },
    workouts: { required: ['read:workout'] },
    hrv: { required: ['read:recovery'] },
    blood_oxygen: { required: ['read:recovery'] },
    respiratory_rate: { required: ['read:sleep'] },
  },
};
