import { operation } from '../../operation/operation.ts';
import { sendsMail } from '../../mail/write-mail.ts';
import { requestSignInLink } from './request-link.ts';
import { SignInLinkInput, SignInWays } from './schemas.ts';

const tag = 'sessions';
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
    handle: async (ctx) => ({ link_by_mail: sendsMail(ctx) }),
  }),
  operation({
    ...forAnybody,
    id: 'request_sign_in_link',
    method: 'POST',
    path: '/v1/sign_in/link',
    body: SignInLinkInput,
    summary: 'Ask for a link by mail',
    description:
      'If a member has this address, a mail with a one-time link is sent. The link works for 15 minutes. The response ' +
      'is the same for every address. An address gets 3 links within 15 minutes and 10 within a day.',
    refusals: ['rate_limited'],
    handle: (ctx, { body }) => requestSignInLink(ctx, body.email),
  }),
];
