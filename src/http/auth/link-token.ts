import { AppError } from '../../errors.ts';
import { readKey, readToken } from '../../tenancy/keys/key-value.ts';
import type { AuthKind } from './caller.ts';
import { LINK_TOKEN_HEADER, sentLinkToken, sentTeamKey } from './key-headers.ts';

/** Authenticates a user's browser by a link token. With it the browser can connect that user to a provider. */
export const linkToken: AuthKind = {
  securitySchemes: {
    link_token: {
      type: 'apiKey',
      in: 'header',
      name: LINK_TOKEN_HEADER,
      description: 'A link token from POST /v2/link/token. For one hour it allows one user to connect one provider.',
    },
  },
  refusals: ['invalid_api_key', 'wrong_key_kind'],
  async findCaller(ctx, access, headers, at) {
    const { value, conflict, advice } = sentLinkToken(headers, ctx.config.headerPrefixes);
    if (conflict) return { key: null, refusal: conflict };
    const misplaced = value ?? sentTeamKey(headers, ctx.config.headerPrefixes).value ?? '';
    if (readKey(misplaced)) {
      return {
        key: await access.identify(misplaced, at.address),
        refusal: new AppError(
          'wrong_key_kind',
          'This operation does not accept a key. Send a link token from POST /v2/link/token in ' +
            'x-service-link-token.',
        ),
      };
    }
    const found =
      value !== undefined && readToken(value) === 'link'
        ? await access.lookUpToken(value, at.address, (across) =>
            ctx.subscriptions.findLinkSessionOrNull(ctx, value, across),
          )
        : null;
    const key = found && { kind: 'link_token' as const, id: found.id, org_id: found.org_id, team_id: found.team_id };
    const records = found?.made_by ? [found.made_by] : [];
    if (!found?.ctx || value === undefined) {
      return {
        key,
        records,
        refusal: new AppError(
          'invalid_api_key',
          'Send a valid link token in the header x-service-link-token. A token is valid for an hour and for ' +
            `one connection.${advice}`,
        ),
      };
    }
    return { ctx: found.ctx, key, records, apiKey: value };
  },
};
