import { Type, type Static } from 'typebox';
import type { Config } from '../config/options.ts';
import { AppError } from '../errors.ts';
import { endpoint } from '../http/endpoint.ts';
import { createTeamKey } from './keys/create-team-key.ts';
import { listTeamKeys } from './keys/list-team-keys.ts';
import { revokeTeamKeys } from './keys/revoke-team-keys.ts';
import { Cursor, Uuid } from '../wire/schema.ts';
import { createTeam } from './teams/create.ts';
import { toManagedTeam } from './teams/render.ts';
import {
  Environment,
  ManagedTeam,
  Region,
  RevokedTeamApiKeys,
  TeamApiKey,
  TeamApiKeyInput,
  TeamApiKeyPage,
  TeamInput,
} from './schemas.ts';

const tag = 'management';
const auth = 'management_key';
const keysPath = '/v1/org/{org_id}/team_api_keys/{env}/{region}';
const ofDeployment = Type.Object({ org_id: Uuid, env: Environment, region: Region });

const MOST_REVOKED_AT_ONCE = 100;

export const managementEndpoints = [
  endpoint({
    id: 'create_team',
    method: 'POST',
    path: '/v1/org/{org_id}/team',
    tag,
    auth,
    scope: 'org',
    params: Type.Object({ org_id: Uuid }),
    body: TeamInput,
    response: ManagedTeam,
    summary: 'Create a team',
    description:
      'With the standard lab tests. A deployment serves one environment and region, so the other environment is null ' +
      'and another region answers 404 wrong_deployment. 409: `detail.team_id` is the team that has the integration_team_id already.',
    refusals: ['limit_reached', 'team_id_taken', 'integration_team_id_conflict', 'wrong_deployment'],
    handle: async (ctx, { body: { id, name, region, integration_team_id, ...settings } }) => {
      refuseOtherRegion(ctx.config, region);
      const team = await createTeam(ctx, { org_id: ctx.org.id, id, name, integration_team_id, settings });
      return toManagedTeam(ctx.config, team);
    },
  }),
  endpoint({
    id: 'list_team_api_keys',
    method: 'GET',
    path: keysPath,
    tag,
    auth,
    params: ofDeployment,
    response: TeamApiKeyPage,
    summary: 'List team API keys',
    description:
      'Keys in use, in the order they were made. `value` shows only the first characters. ' +
      'A Team Management Key sees the keys of its own teams.',
    query: Type.Object({ next_cursor: Type.Optional(Cursor()), team_id: Type.Optional(Uuid) }),
    refusals: ['invalid_cursor', 'insufficient_scope'],
    handle: (ctx, { query: { next_cursor = null, team_id = null } }) => listTeamKeys(ctx, { team_id, next_cursor }),
  }),
  endpoint({
    id: 'create_team_api_key',
    method: 'POST',
    path: keysPath,
    tag,
    auth,
    scope: 'team',
    params: ofDeployment,
    body: TeamApiKeyInput,
    response: TeamApiKey,
    secretAnswer: true,
    summary: 'Create a team API key',
    description: 'The answer is the only place where the whole key is shown.',
    refusals: ['limit_reached'],
    handle: (ctx, { body: { label } }) => createTeamKey(ctx, { team_id: ctx.team.id, label }),
  }),
  endpoint({
    id: 'delete_team_api_keys',
    method: 'DELETE',
    path: keysPath,
    tag,
    auth,
    params: ofDeployment,
    response: RevokedTeamApiKeys,
    summary: 'Revoke team API keys',
    description: 'From the answer on, every process of the service refuses them.',
    query: Type.Object({ api_key_id: Type.Array(Uuid, { minItems: 1, maxItems: MOST_REVOKED_AT_ONCE }) }),
    refusals: ['insufficient_scope'],
    handle: (ctx, { query: { api_key_id } }) => revokeTeamKeys(ctx, [...new Set(api_key_id)]),
  }),
];

function refuseOtherRegion(config: Config, region: Static<typeof Region>): void {
  if (region === config.region) return;
  throw new AppError(
    'wrong_deployment',
    `You asked for ${region}, but this service is ${config.environment} ${config.region}. ` +
      "Send the request to that deployment's base address.",
  );
}
