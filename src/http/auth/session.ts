import type { SessionCtx } from '../../context.ts';
import { boundToOrg } from '../../db/session/bind.ts';
import { AppError } from '../../errors.ts';
import { bearerOf } from './bearer.ts';
import { firstOf, type AuthKind } from './caller.ts';
import { MANAGEMENT_HEADERS, sentTeamKey } from './key-headers.ts';
import { findSessionOrRefusal, invalidSession, SESSION_SCHEME, sessionTokenOf } from './session-caller.ts';

/** Authenticates a person who is signed in, for operations on the session itself. */
export const session: AuthKind = {
  securitySchemes: SESSION_SCHEME,
  refusals: ['invalid_session', 'wrong_key_kind'],
  takesSessions: true,
  async findCaller(ctx, access, headers, at) {
    const sent = sentTeamKey(headers, ctx.config.headerPrefixes).value ?? firstOf(headers, MANAGEMENT_HEADERS);
    const key = sent ?? bearerOf(headers);
    if (key !== null) {
      return {
        key: await access.identify(key, at.address),
        refusal: new AppError(
          'wrong_key_kind',
          'This operation is about the session of a person who is signed in. Send the session cookie without a key.',
        ),
      };
    }
    const token = sessionTokenOf(ctx, headers);
    if (token === null) return { key: null, refusal: invalidSession() };
    const found = await findSessionOrRefusal(access, token, { headers, at });
    if ('refusal' in found) return found;
    const { person, session, org, rights, email, key: identity } = found.found;
    const own: SessionCtx = { ...boundToOrg(ctx, org.id), person, session, org, rights, email };
    return { ctx: own, ...found.shown, key: identity, apiKey: token };
  },
};
