import { boundToOrg } from '../../db/session/bind.ts';
import { AppError } from '../../errors.ts';
import { readKey, readToken } from '../../tenancy/keys/key-value.ts';
import { bearerOf } from './bearer.ts';
import { firstOf, type AuthKind } from './caller.ts';
import { DEPRECATED_MANAGEMENT_HEADER, MANAGEMENT_HEADERS, sentTeamKey } from './key-headers.ts';
import {
  findManagerOfSession,
  planRequired,
  SESSION_REFUSALS,
  SESSION_SCHEME,
  sessionTokenOf,
} from './session-caller.ts';

/** Authenticates an organisation by a management key, for the management API. */
export const managementKey: AuthKind = {
  securitySchemes: {
    management_key: {
      type: 'apiKey',
      in: 'header',
      name: 'X-Management-Key',
      description:
        'A management key. An Org Management Key manages the organisation, a Team Management Key manages its ' +
        'own teams. The header X-Service-Org-Key is deprecated and does the same.',
    },
    ...SESSION_SCHEME,
  },
  refusals: ['invalid_api_key', 'wrong_key_kind', 'plan_required', ...SESSION_REFUSALS],
  takesSessions: true,
  async findCaller(ctx, access, headers, at) {
    const value = firstOf(headers, MANAGEMENT_HEADERS);
    const misplaced = value ?? sentTeamKey(headers, ctx.config.headerPrefixes).value ?? bearerOf(headers) ?? '';
    const session = misplaced === '' ? sessionTokenOf(ctx, headers) : null;
    if (session !== null) return findManagerOfSession(ctx, access, session, { headers, at });
    const kind = readKey(value ?? '');
    // If the request sent both headers, we use the value of the new one. We still mark the request, because it uses the
    // deprecated header.
    const shown = headers[DEPRECATED_MANAGEMENT_HEADER.name] ? { deprecatedHeader: DEPRECATED_MANAGEMENT_HEADER } : {};
    if (kind?.kind === 'team' || (value === undefined && (readKey(misplaced) || readToken(misplaced)))) {
      return {
        ...shown,
        key: await access.identify(misplaced, at.address),
        refusal: new AppError(
          'wrong_key_kind',
          'The management API accepts only a management key in X-Management-Key. A team API key or token is ' +
            'for the service API only.',
        ),
      };
    }
    const found = kind && value !== undefined ? await access.management(value, at.address) : null;
    if (!found?.manager || value === undefined) {
      return {
        ...shown,
        key: found?.key ?? null,
        refusal: new AppError('invalid_api_key', 'Send a valid management key in the header X-Management-Key.'),
      };
    }
    const { key, manager } = found;
    if (manager.org.plan !== 'scale') return { ...shown, key, refusal: planRequired() };
    return { ...shown, ctx: { ...boundToOrg(ctx, manager.org.id), ...manager }, key, apiKey: value };
  },
};
