import { Type } from 'typebox';
import { operation } from '../../operation/operation.ts';
import { browser, cookieOnly, webForm } from '../../operation/media.ts';
import { endAllSessions, endSession } from './end-sessions.ts';
import { SessionDetails } from './schemas.ts';
import { endedCookie } from './session-cookie.ts';
import { showSession } from './show-session.ts';
import { openSignInLink, useSignInLink } from './use-link.ts';

const tag = 'sessions';
const ofSession = { tag, auth: 'session' } as const;
const link = {
  tag,
  auth: 'none',
  path: '/sign-in/{token}',
  params: Type.Object({ token: Type.String({ maxLength: 200, description: 'The secret part of the link.' }) }),
  response: browser,
  refusals: ['link_refused'],
  askAgainAt: '/dashboard/sign-in?problem=link_ended',
} as const;

export const sessionOperations = [
  operation({
    ...link,
    id: 'open_sign_in_link',
    method: 'GET',
    summary: 'Show the page of a one-time link',
    description: 'Opening it changes nothing. A link that is not valid shows a page that says so.',
    handle: (ctx, { params }) => openSignInLink(ctx, params.token),
  }),
  operation({
    ...link,
    id: 'use_sign_in_link',
    method: 'POST',
    body: webForm(Type.Object({})),
    headers: ['sec-fetch-site'],
    summary: 'Sign in with a one-time link',
    description: 'The page sends this. It sets the cookie of a new session and leads to the dashboard.',
    handle: (ctx, { params, headers }) => useSignInLink(ctx, params.token, headers['sec-fetch-site'] ?? null),
  }),
  operation({
    ...ofSession,
    id: 'get_session',
    method: 'GET',
    path: '/v1/session',
    response: SessionDetails,
    secretResponse: true,
    summary: 'Who is signed in',
    description: 'The rights are those that the person has now.',
    handle: (ctx) => showSession(ctx),
  }),
  operation({
    ...ofSession,
    id: 'delete_session',
    method: 'DELETE',
    path: '/v1/session',
    response: cookieOnly,
    revokes: true,
    summary: 'Sign out',
    handle: async (ctx) => {
      await endSession(ctx);
      return endedCookie(ctx);
    },
  }),
  operation({
    ...ofSession,
    id: 'delete_all_sessions',
    method: 'DELETE',
    path: '/v1/session/all',
    response: cookieOnly,
    revokes: true,
    summary: 'Sign out everywhere',
    description: 'Ends all sessions of the person, and the one-time links that would sign the person in.',
    handle: async (ctx) => {
      await endAllSessions(ctx);
      return endedCookie(ctx);
    },
  }),
];
