// https://cloud-api.wahooligan.com/#authentication
import { textOf, type Connector } from '../connector.ts';

export const connector: Connector = {
  slug: 'wahoo',
  oauth: {
    authorize_url: 'https://api.wahooligan.com/oauth/authorize',
    token_url: 'https://api.wahooligan.com/oauth/token',
    revoke: { url: 'https://api.wahooligan.com/v1/permissions', token_in: 'header', token: 'access' },
    client_auth: 'body',
    scopes: ['user_read', 'workouts_read', 'offline_data'],
    always_scopes: ['user_read', 'offline_data'],
    scope_separator: ' ',
    pkce: true,
    externalUserId: () => null,
    identity: { url: 'https://api.wahooligan.com/v1/user', read: ({ id }) => textOf(id) },
  },
  scopes: {
    profile: { required: ['user_read'] },
    workouts: { required: ['workouts_read'] },
  },
};
