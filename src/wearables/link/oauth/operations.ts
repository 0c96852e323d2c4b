import { Type } from 'typebox';
import { operation } from '../../../operation/operation.ts';
import { browser } from '../../../operation/media.ts';
import { WordFilter } from '../../../wire/schema.ts';
import { finishOauth } from './callback.ts';
import { COOKIE, startOauth } from './start-oauth.ts';

const tag = 'link';
const params = Type.Object({ provider: WordFilter() });
/** We refuse a value that is longer than any value of ours or of a provider, before we look it up. */
const Parameter = (description: string, most: number) => Type.Optional(Type.String({ maxLength: most, description }));

export const oauthOperations = [
  operation({
    id: 'start_oauth',
    method: 'GET',
    path: '/v2/link/oauth/{provider}/start',
    tag,
    auth: 'none',
    params,
    cookie: COOKIE,
    query: Type.Object({
      token: Parameter('A link token.', 200),
      page: Parameter('1 if the hosted page sends the browser, which shows errors itself.', 10),
    }),
    response: browser,
    summary: "Send a user's browser to the provider's page",
    description:
      'Opened in the browser of the user. It sets a cookie: only that browser may return, within 15 minutes.',
    handle: (ctx, { params: { provider }, query: { token = '', page }, cookie }) =>
      startOauth(ctx, { provider, token, cookie, from_page: page === '1' }),
  }),
  operation({
    id: 'finish_oauth',
    method: 'GET',
    path: '/v2/link/oauth/{provider}/callback',
    tag,
    auth: 'none',
    params,
    cookie: COOKIE,
    query: Type.Object({
      state: Parameter('The state that the browser left with; it works once.', 500),
      code: Parameter('The code that the provider exchanges for tokens.', 4096),
      scope: Parameter('The scopes that the user has granted, where the provider sends them here.', 4096),
      error: Parameter('Why the provider grants nothing.', 500),
    }),
    response: browser,
    summary: "Take a user's browser back from the provider's page",
    description:
      "The address to register with the provider. The browser goes on to the link token's redirect_url " +
      'with state=success, or state=error with error_type and error, or else to a page of ours.',
    handle: (ctx, { params: { provider }, query, cookie }) => finishOauth(ctx, { provider, cookie, ...query } as never),
  }),
];
