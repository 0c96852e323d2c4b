import { Type } from 'typebox';
import { operation } from '../../operation/operation.ts';
import { Uuid } from '../../wire/schema.ts';
import { createAccessToken } from './create.ts';
import { AccessToken, AccessTokenInput } from './schemas.ts';

export const accessTokenOperations = [
  operation({
    id: 'create_api_access_token',
    method: 'POST',
    path: '/v1/org/{org_id}/team/{team_id}/create_api_access_token',
    tag: 'management',
    auth: 'management_key',
    scope: 'team',
    params: Type.Object({ org_id: Uuid, team_id: Uuid }),
    body: AccessTokenInput,
    response: AccessToken,
    secretResponse: true,
    summary: 'Create a token for a team that is valid for an hour',
    description:
      "As `Authorization: Bearer` the token has the rights of the team's API key, for programs that should " +
      'hold no key. It ends after an hour, with its team, and at once when the management key that made it ' +
      'is revoked or no longer manages the team. All tokens of a team share one rate limit. A team has at ' +
      'most 1000 tokens: a new one ends the oldest.',
    handle: (ctx) => createAccessToken(ctx),
  }),
];
