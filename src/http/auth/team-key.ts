import { AppError } from '../../errors.ts';
import { readKey, readToken } from '../../tenancy/keys/key-value.ts';
import { findTeamOfToken } from './access-token.ts';
import { bearerOf } from './bearer.ts';
import { firstOf, type AuthKind } from './caller.ts';
import { MANAGEMENT_HEADERS, sentTeamKey, TEAM_KEY_HEADER } from './key-headers.ts';
import { findTeamOfSession, SESSION_REFUSALS, SESSION_SCHEME, sessionTokenOf } from './session-caller.ts';

/** Authenticates a team by its API key, for operations on that team's data. */
export const teamKey: AuthKind = {
  securitySchemes: {
    team_key: {
      type: 'apiKey',
      in: 'header',
      name: TEAM_KEY_HEADER,
      description: 'A team API key. It gives access to the data of its team, as far as its scopes allow.',
    },
    access_token: {
      type: 'http',
      scheme: 'bearer',
      description: 'A token from `create_api_access_token`. For one hour it has the rights of a key of its team.',
    },
    ...SESSION_SCHEME,
  },
  refusals: ['invalid_api_key', 'wrong_environment', 'wrong_key_kind', ...SESSION_REFUSALS],
  takesSessions: true,
  async findCaller(ctx, access, headers, at) {
    const { value, word, conflict, advice } = sentTeamKey(headers, ctx.config.headerPrefixes);
    if (conflict) return { key: null, refusal: conflict };
    const token = value === undefined ? (bearerOf(headers) ?? '') : '';
    if (readToken(token) === 'access') return findTeamOfToken(access, token, at.address);
    const misplaced = value ?? firstOf(headers, MANAGEMENT_HEADERS) ?? '';
    const session = misplaced === '' && token === '' ? sessionTokenOf(ctx, headers) : null;
    if (session !== null) return findTeamOfSession(ctx, access, session, { headers, at });
    const kind = readKey(value ?? '');
    if (kind?.kind === 'management' || (value === undefined && readKey(misplaced))) {
      return {
        key: await access.identify(misplaced, at.address),
        refusal: new AppError(
          'wrong_key_kind',
          'A management key is for the management API only. Send a team API key in x-service-api-key.',
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
          "A user's token can only send samples and summaries of that user (POST). This operation needs a " +
            'team API key in x-service-api-key.',
        ),
      };
    }
    const found = kind && value !== undefined ? await access.team(value, at.address) : null;
    if (!found?.ctx || value === undefined) {
      return {
        key: found?.key ?? null,
        refusal: new AppError(
          'invalid_api_key',
          `Send a valid team API key in the header x-service-api-key. The management API manages keys.${advice}`,
        ),
      };
    }
    return { ctx: { ...found.ctx, headerWord: word }, key: found.key, apiKey: value, scopes: found.scopes };
  },
};
