import { Type } from 'typebox';
import { operation } from '../../operation/operation.ts';
import { browser } from '../../operation/media.ts';
import { sendsMail } from '../../mail/write-mail.ts';
import { OPENID_COOKIE } from './openid/browser-secret.ts';
import { finishOpenid } from './openid/finish.ts';
import { CALLBACK, START, startOpenid } from './openid/start.ts';
import { requestSignInLink } from './request-link.ts';
import { SignInLinkInput, SignInWays } from './schemas.ts';

const tag = 'sessions';
const returned = (description: string, maxLength: number) => Type.Optional(Type.String({ maxLength, description }));
const forAnybody = { tag, auth: 'none' } as const;

export const signInOperations = [
  operation({
    ...forAnybody,
    id: 'get_sign_in_ways',
    method: 'GET',
    path: '/v1/sign_in',
    response: SignInWays,
    summary: 'How people sign in',
    description: 'The ways that this deployment offers. There are no passwords.',
    handle: async (ctx) => {
      const { openid } = ctx.config;
      return { link_by_mail: sendsMail(ctx), openid: openid && { name: openid.name, path: START } };
    },
  }),
  operation({
    ...forAnybody,
    id: 'request_sign_in_link',
    method: 'POST',
    path: '/v1/sign_in/link',
    body: SignInLinkInput,
    summary: 'Ask for a link by mail',
    description:
      'If a member has this address, a mail with a one-time link is sent. The link works for 15 minutes. The ' +
      'response is the same for every address. An address gets 3 links within 15 minutes and 10 within a day.',
    refusals: ['rate_limited'],
    handle: (ctx, { body }) => requestSignInLink(ctx, body.email),
  }),
  operation({
    ...forAnybody,
    id: 'start_openid',
    method: 'GET',
    path: START,
    response: browser,
    summary: 'Sign in at the issuer of OpenID Connect',
    description:
      'For a browser. It leads to the issuer (code flow with PKCE). If none is configured or it does not ' +
      'answer, it leads to the page for signing in, which says so.',
    handle: (ctx) => startOpenid(ctx),
  }),
  operation({
    ...forAnybody,
    id: 'finish_openid',
    method: 'GET',
    path: CALLBACK,
    cookie: OPENID_COOKIE,
    query: Type.Object({
      code: returned('The code that we exchange for an ID token.', 4096),
      state: returned('The state that the browser left with.', 500),
      iss: returned('The issuer, if it names itself (RFC 9207).', 2048),
      error: returned('Why the issuer signs in nobody.', 500),
    }),
    response: browser,
    summary: 'Take a browser back from the issuer',
    description:
      'The address to register at the issuer. A member with the verified email address of the account is ' +
      'signed in. A member of several organisations chooses one. Nobody becomes a member by this.',
    handle: (ctx, { query, cookie }) => finishOpenid(ctx, { returned: query, cookie }),
  }),
];
