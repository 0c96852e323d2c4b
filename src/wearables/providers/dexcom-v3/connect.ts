// https://developer.dexcom.com/docs/dexcomv3/authentication. Dexcom has no request that revokes a token.
import type { Connector } from '../connector.ts';

export const connector: Connector = {
  slug: 'dexcom_v3',
  oauth: {
    authorize_url: 'https://api.dexcom.com/v3/oauth2/login',
    token_url: 'https://api.dexcom.com/v3/oauth2/token',
    revoke: null,
    client_auth: 'body',
    scopes: ['offline_access'],
    scope_separator: ' ',
    pkce: false,
    externalUserId: () => null,
    identity: null,
  },
  scopes: { glucose: { required: [] } },
  eu_origin: 'https://api.dexcom.eu',
};
