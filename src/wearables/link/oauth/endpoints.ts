import { Type } from 'typebox';
import { endpoint } from '../../../http/endpoint.ts';
import { browser } from '../../../http/media.ts';
import { WordFilter } from '../../../wire/schema.ts';
import { finishOauth } from './callback.ts';
import { COOKIE, startOauth } from './start.ts';

const tag = 'link';
const params = Type.Object({ provider: WordFilter() });
/** What is too long for one of ours, or for a provider's, is refused before anybody looks at it. */
const Parameter = (description: string, most: number) => Type.Optional(Type.String({ maxLength: most, description }));

export const oauthEndpoints = [
  endpoint({
    id: 'start_oauth',
    method: 'GET',
    path: '/v2/link/oauth/{provider}/start',
    tag,
    auth: 'none',
    params,
    cookie: COOKIE,
    query: Type.Object({
      token: Parameter('A link token.', 200),
      page: Parameter('1 where the hosted page asks, which shows errors itself.', 10),
    }),
    response: browser,
    summary: "Send a user's browser to the provider's page",
    description:
      'Opened in the browser of the user. It leaves a cookie there: only that browser may come back, within 15 minutes.',
    handle: (ctx, { params: { provider }, query: { token = '', page }, cookie }) =>
      startOauth(ctx, { provider, token, cookie, from_page: page === '1' }),
  }),
  endpoint({
    id: 'finish_oauth',
    method: 'GET',
    path: '/v2/link/oauth/{provider}/callback',
    tag,
    auth: 'none',
    params,
    cookie: COOKIE,
    query: Type.Object({
      state: Parameter('As it left with the browser; good for one return.', 500),
      code: Parameter('What the provider gives tokens for.', 4096),
      scope: Parameter('What the user has agreed to, where the provider tells it here.', 4096),
      error: Parameter('Why the provider gives nothing.', 500),
    }),
    response: browser,
    summary: "Take a user's browser back from the provider's page",
    description:
      "The address to register with the provider. The browser goes on to the link token's redirect_url with state=success, " +
      'or state=error with error_type and error, or else to a page of ours.',
    handle: (ctx, { params: { provider }, query, cookie }) => finishOauth(ctx, { provider, cookie, ...query } as never),
  }),
];
