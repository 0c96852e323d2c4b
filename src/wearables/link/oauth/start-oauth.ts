import type { Config } from '../../../config/options.ts';
import type { Ctx } from '../../../context.ts';
import { readToken } from '../../../tenancy/keys/key-value.ts';
import { hostCookie } from '../../../operation/host-cookie.ts';
import type { BrowserResponse } from '../../../operation/media.ts';
import { addressAt, type Configured } from '../../connections/applications/configured.ts';
import { findAskedScopes } from '../requirements/asked-scopes.ts';
import { connectableProviders } from '../connectable.ts';
import { demoPageUrl } from '../demo/page-url.ts';
import { outcomePage } from '../page/outcome-page.ts';
import { findLinkSessionOrNull, nameActor } from '../session.ts';
import { storeState, STATE_SECONDS, type StartedAuthorization } from './state.ts';

/**
 * The name of the cookie that binds an authorization to the browser that began it. Without the cookie, an attacker
 * could begin an authorization and make another person's browser finish it.
 */
export const COOKIE = 'phial_link';

export const callbackUrl = ({ baseUrl }: Pick<Config, 'baseUrl'>, provider: string): string =>
  `${baseUrl}/v2/link/oauth/${provider}/callback`;

type Request = { provider: string; token: string; cookie: string | null; from_page: boolean };

/** Redirects a browser to the provider's page. If this is not possible, shows a page that says why. */
export async function startOauth(ctx: Ctx, { provider, token, cookie, from_page }: Request): Promise<BrowserResponse> {
  const session = readToken(token) === 'link' ? await findLinkSessionOrNull(ctx, token) : null;
  nameActor(ctx, session);
  if (!session?.ctx) return outcomePage(session?.ended ?? 'invalid_token');
  const found = (await connectableProviders(session.ctx)).find(({ slug }) => slug === provider);
  if (!found) return outcomePage('invalid_token');
  const { configured } = found;
  if (!configured) return { redirect: demoPageUrl(ctx.config, { provider: found.slug, token, from_page, step: null }) };
  const { pkce } = configured.connector.oauth;
  const { own } = configured;
  const departure = await storeState(session.ctx, { provider, own, pkce, cookie, token, from_page });
  const { asked } = await findAskedScopes(session.ctx, configured.connector);
  return {
    redirect: authorizeUrl(ctx.config, configured, { ...departure, asked }),
    cookie: hostCookie(ctx.config, COOKIE, { value: departure.cookie, seconds: STATE_SECONDS }),
  };
}

function authorizeUrl(
  config: Config,
  configured: Configured,
  { state, code_challenge, asked }: StartedAuthorization & { asked: string[] },
): string {
  const { connector, client, own } = configured;
  const url = new URL(addressAt(config, configured, connector.oauth.authorize_url));
  const parameters = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: own?.redirect_url ?? callbackUrl(config, connector.slug),
    scope: asked.join(connector.oauth.scope_separator),
    state,
    ...(code_challenge === null ? {} : { code_challenge, code_challenge_method: 'S256' }),
    ...connector.oauth.authorize_with,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
