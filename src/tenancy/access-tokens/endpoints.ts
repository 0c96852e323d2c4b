import { Type } from 'typebox';
import { endpoint } from '../../http/endpoint.ts';
import { Uuid } from '../../wire/schema.ts';
import { createAccessToken } from './create.ts';
import { AccessToken, AccessTokenInput } from './schemas.ts';

export const accessTokenEndpoints = [
  endpoint({
    id: 'create_api_access_token',
    method: 'POST',
    path: '/v1/org/{org_id}/team/{team_id}/create_api_access_token',
    tag: 'management',
    auth: 'management_key',
    scope: 'team',
    params: Type.Object({ org_id: Uuid, team_id: Uuid }),
    body: AccessTokenInput,
    response: AccessToken,
    secretAnswer: true,
    summary: 'Make a token that opens a team for an hour',
    description:
      "Sent as `Authorization: Bearer` it opens what the team's API key opens, for a program that should hold no key. It ends " +
      'after an hour, with its team, and at once where the management key that made it is revoked or may no longer manage the ' +
      'team. All tokens of a team share one rate, and of more than 1000 the oldest end.',
    handle: (ctx) => createAccessToken(ctx),
  }),
];
