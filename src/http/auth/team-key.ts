import { AppError } from '../../errors.ts';
import { readKey, readToken } from '../../tenancy/keys/key-value.ts';
import { findTeamOfToken } from './access-token.ts';
import { bearerOf } from './bearer.ts';
import { firstOf, type AuthKind } from './caller.ts';
import { MANAGEMENT_HEADERS, sentTeamKey, TEAM_KEY_HEADER } from './headers.ts';

/** A team by its API key: opens the service API with the data of that team. */
export const teamKey: AuthKind = {
  securitySchemes: {
    team_key: {
      type: 'apiKey',
      in: 'header',
      name: TEAM_KEY_HEADER,
      description: 'A team API key: opens the data of its team, or of it what its scopes name.',
    },
    access_token: {
      type: 'http',
      scheme: 'bearer',
      description: 'A token of `create_api_access_token`: for an hour it opens what a key of its team opens.',
    },
  },
  refusals: ['invalid_api_key', 'wrong_environment', 'wrong_key_kind', 'insufficient_scope'],
  async findCaller(ctx, access, headers, at) {
    const { value, word, conflict, hint } = sentTeamKey(headers, ctx.config.headerPrefixes);
    if (conflict) return { key: null, refusal: conflict };
    const token = value === undefined ? (bearerOf(headers) ?? '') : '';
    if (readToken(token) === 'access') return findTeamOfToken(access, token, at.address);
    const misplaced = value ?? firstOf(headers, MANAGEMENT_HEADERS) ?? '';
    const kind = readKey(value ?? '');
    if (kind?.kind === 'management' || (value === undefined && readKey(misplaced))) {
      return {
        key: await access.identify(misplaced, at.address),
        refusal: new AppError(
          'wrong_key_kind',
          'A management key opens the management API only. Send a team API key in x-service-api-key.',
        ),
      };
    }
    if (kind && (kind.environment !== ctx.config.environment || kind.region !== ctx.config.region)) {
      return {
        key: null,
        refusal: new AppError(
          'wrong_environment',
          `This is a key of ${kind.environment} ${kind.region}, but this service is ` +
            `${ctx.config.environment} ${ctx.config.region}. Send the request to that key's base address.`,
        ),
      };
    }
    if (readToken(token) === 'user') {
      return {
        key: null,
        refusal: new AppError(
          'wrong_key_kind',
          "A user's token only sends that user's samples and summaries (POST). This operation takes a team API key, in " +
            'x-service-api-key.',
        ),
      };
    }
    const found = kind && value !== undefined ? await access.team(value, at.address) : null;
    if (!found?.ctx || value === undefined) {
      return {
        key: found?.key ?? null,
        refusal: new AppError(
          'invalid_api_key',
          `Send a valid team API key in the header x-service-api-key. Keys are managed through the management API.${hint}`,
        ),
      };
    }
    return { ctx: { ...found.ctx, headerWord: word }, key: found.key, apiKey: value, scopes: found.scopes };
  },
};
