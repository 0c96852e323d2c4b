import { AppError } from '../../errors.ts';
import { readKey, readToken } from '../../tenancy/keys/key-value.ts';
import { firstOf, type AuthKind } from './caller.ts';
import { linkTokenHeaders, teamKeyHeaders } from './headers.ts';

/** A user's browser by a link token: opens what connects that user to a provider. */
export const linkToken: AuthKind = {
  securitySchemes: {
    link_token: {
      type: 'apiKey',
      in: 'header',
      name: linkTokenHeaders([])[0],
      description: 'A link token of POST /v2/link/token: for an hour it lets one user connect one provider.',
    },
  },
  refusals: ['invalid_api_key', 'wrong_key_kind'],
  async findCaller(ctx, access, headers, at) {
    const value = firstOf(headers, linkTokenHeaders(ctx.config.headerPrefixes));
    const misplaced = value ?? firstOf(headers, teamKeyHeaders(ctx.config.headerPrefixes)) ?? '';
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
          'Send a valid link token in the header x-service-link-token. One is good for an hour and one connection.',
        ),
      };
    }
    return { ctx: found.ctx, key, records, apiKey: value };
  },
};
