import { AppError } from '../../errors.ts';
import { readKey, readToken } from '../../tenancy/keys/key-value.ts';
import type { AuthKind } from './caller.ts';
import { LINK_TOKEN_HEADER, sentLinkToken, sentTeamKey } from './headers.ts';

/** A user's browser by a link token: opens what connects that user to a provider. */
export const linkToken: AuthKind = {
  securitySchemes: {
    link_token: {
      type: 'apiKey',
      in: 'header',
      name: LINK_TOKEN_HEADER,
      description: 'A link token of POST /v2/link/token: for an hour it lets one user connect one provider.',
    },
  },
  refusals: ['invalid_api_key', 'wrong_key_kind'],
  async findCaller(ctx, access, headers, at) {
    const { value, conflict, hint } = sentLinkToken(headers, ctx.config.headerPrefixes);
    if (conflict) return { key: null, refusal: conflict };
    const misplaced = value ?? sentTeamKey(headers, ctx.config.headerPrefixes).value ?? '';
    if (readKey(misplaced)) {
      return {
        key: await access.identify(misplaced, at.address),
        refusal: new AppError(
          'wrong_key_kind',
          'A key does not open this. Send a link token of POST /v2/link/token in x-service-link-token.',
        ),
      };
    }
    const found =
      value !== undefined && readToken(value) === 'link'
        ? await access.lookUpToken(value, at.address, (across) => ctx.findLinkSessionOrNull(ctx, value, across))
        : null;
    const key = found && { kind: 'link_token' as const, id: found.id, org_id: found.org_id, team_id: found.team_id };
    const records = found?.made_by ? [found.made_by] : [];
    if (!found?.ctx || value === undefined) {
      return {
        key,
        records,
        refusal: new AppError(
          'invalid_api_key',
          `Send a valid link token in the header x-service-link-token. One is good for an hour and one connection.${hint}`,
        ),
      };
    }
    return { ctx: found.ctx, key, records, apiKey: value };
  },
};
