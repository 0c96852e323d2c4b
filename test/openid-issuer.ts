// A stand-in issuer of OpenID Connect by a library that is not ours. It signs in one account without asking.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

type Account = { sub: string; email?: string; email_verified?: boolean };

export type IssuerStandIn = {
  url: string;
  /** Options of a service that uses this issuer. */
  env: Record<string, string>;
  /** The account that is signed in from now on. Null: the person refuses. */
  account: Account | null;
  /** Requests to the issuer, as method and path, and whether they have the header Authorization. */
  requests: string[];
  close: () => Promise<void>;
};

const CLIENT = { client_id: 'phial', client_secret: 'secret-of-the-issuer' };

/**
 * @param inIdToken whether the address is in the ID token. Otherwise the service must ask for it, which is the default
 * of the standard.
 * @param method how the client authenticates
 */
export async function startIssuer({
  inIdToken = true,
  method = 'client_secret_basic' as 'client_secret_basic' | 'client_secret_post',
} = {}): Promise<IssuerStandIn> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(url, {
    clients: [
      { ...CLIENT, redirect_uris: ['https://phial.example.com/openid/callback'], token_endpoint_auth_method: method },
    ],
    clientAuthMethods: [method],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: !inIdToken,
    cookies: { keys: ['a key of the stand-in'] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, accountId) => ({ accountId, claims: async () => ({ ...standIn.account, sub: accountId }) }),
    loadExistingGrant: async ({ oidc }) => {
      const grant = new provider.Grant({
        clientId: CLIENT.client_id,
        ...(oidc.session?.accountId ? { accountId: oidc.session.accountId } : {}),
      });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
  });
  // Services of tests listen on ports that nobody knows before.
  provider.Client.prototype.redirectUriAllowed = (uri: string): boolean => uri.endsWith('/openid/callback');
  const answer = provider.callback();
  server.on('request', (request, response) => {
    const proof = request.headers.authorization === undefined ? '' : ' with authorization';
    standIn.requests.push(`${request.method} ${request.url?.split('?')[0]}${proof}`);
    if (!request.url?.startsWith('/interaction/')) return void answer(request, response);
    const result = standIn.account
      ? { login: { accountId: standIn.account.sub } }
      : { error: 'access_denied', error_description: 'The person refused.' };
    return void provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  });
  const standIn: IssuerStandIn = {
    url,
    env: {
      PHIAL_OPENID_ISSUER: url,
      PHIAL_OPENID_CLIENT_ID: CLIENT.client_id,
      PHIAL_OPENID_CLIENT_SECRET: CLIENT.client_secret,
      PHIAL_OPENID_NAME: 'Desert Health',
    },
    account: null,
    requests: [],
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return standIn;
}
