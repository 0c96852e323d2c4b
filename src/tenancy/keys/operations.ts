import { Type } from 'typebox';
import { operation } from '../../operation/operation.ts';
import { Cursor, Uuid, WordFilter } from '../../wire/schema.ts';
import { ofDeployment } from '../team-paths.ts';
import { callerAsCreator } from '../creator.ts';
import { teamIdsOf } from '../role-bindings.ts';
import { findManagedTeam } from '../teams/find.ts';
import { createManagementKey } from './create-management-key.ts';
import { createTeamKey } from './create-team-key.ts';
import { listManagementKeys } from './list-management-keys.ts';
import { listTeamKeys } from './list-team-keys.ts';
import { toManagementKey } from './render-management-key.ts';
import { patchManagementKey } from './patch-management-key.ts';
import { revokeManagementKey } from './revoke-management-key.ts';
import { revokeTeamKeys } from './revoke-team-keys.ts';
import {
  ManagementKey,
  ManagementKeyInput,
  ManagementKeyPage,
  ManagementKeyPatch,
  NewManagementKey,
  RevokedManagementKey,
  RevokedTeamApiKeys,
  TeamApiKey,
  TeamApiKeyInput,
  TeamApiKeyPage,
} from './schemas.ts';

const management = { tag: 'management', auth: 'management_key' } as const;
const ofTeams = {
  ...management,
  path: '/v1/org/{org_id}/team_api_keys/{env}/{region}',
  params: ofDeployment,
} as const;
const ofOrg = { ...management, scope: 'org' } as const;
const keys = '/v1/org/{org_id}/management_key';
const key = `${keys}/{key_id}`;
const inOrg = Type.Object({ org_id: Uuid });
const ofKey = Type.Object({ org_id: Uuid, key_id: Uuid });

const MAX_REVOKED_AT_ONCE = 100;

export const keyOperations = [
  operation({
    ...ofTeams,
    id: 'list_team_api_keys',
    method: 'GET',
    scope: 'teams',
    response: TeamApiKeyPage,
    summary: 'List team API keys',
    description:
      'Valid keys, oldest first, with their scopes, their expiry and their last use. `value` has only the ' +
      'first characters. A Team Management Key lists the keys of its own teams.',
    query: Type.Object({ next_cursor: Type.Optional(Cursor()), team_id: Type.Optional(Uuid) }),
    refusals: ['invalid_cursor'],
    handle: (ctx, { query: { next_cursor = null } }) => listTeamKeys(ctx, next_cursor),
  }),
  operation({
    ...ofTeams,
    id: 'create_team_api_key',
    method: 'POST',
    scope: 'team',
    body: TeamApiKeyInput,
    response: TeamApiKey,
    secretResponse: true,
    summary: 'Create a team API key',
    description:
      'Only this response contains the whole key. A key can be limited to reading, to areas of the API or to ' +
      'reading areas, and can have an expiry.',
    refusals: ['limit_reached'],
    handle: (ctx, { body: { label, scopes = null, expires_at = null } }) =>
      createTeamKey(ctx, { team_id: ctx.team.id, label, scopes, expires_at }),
  }),
  operation({
    ...ofTeams,
    id: 'delete_team_api_keys',
    method: 'DELETE',
    response: RevokedTeamApiKeys,
    summary: 'Revoke team API keys',
    description: 'After the response, every process of the service refuses them.',
    query: Type.Object({ api_key_id: Type.Array(Uuid, { minItems: 1, maxItems: MAX_REVOKED_AT_ONCE }) }),
    revokes: true,
    refusals: ['insufficient_scope'],
    handle: (ctx, { query: { api_key_id } }) => revokeTeamKeys(ctx, [...new Set(api_key_id)]),
  }),
  operation({
    ...ofOrg,
    id: 'list_management_keys',
    method: 'GET',
    path: keys,
    params: inOrg,
    query: Type.Object({
      team_id: Type.Optional(Uuid),
      role: Type.Optional(WordFilter()),
      next_cursor: Type.Optional(Cursor()),
    }),
    response: ManagementKeyPage,
    summary: 'List management keys',
    description:
      'Unrevoked keys, oldest first: all, those with a role, or those bound to a team. Values are never ' +
      'shown again. `key_prefix` distinguishes keys.',
    refusals: ['not_found', 'invalid_cursor'],
    handle: async (ctx, { query: { team_id = null, role = null, next_cursor = null } }) => {
      if (team_id !== null) await findManagedTeam(ctx, team_id);
      const page = await listManagementKeys(ctx, ctx.org.id, { team_id, role, next_cursor });
      return { data: page.keys.map(toManagementKey), next_cursor: page.next_cursor };
    },
  }),
  operation({
    ...ofOrg,
    id: 'create_management_key',
    method: 'POST',
    path: keys,
    params: inOrg,
    body: ManagementKeyInput,
    response: NewManagementKey,
    secretResponse: true,
    summary: 'Create a management key',
    description:
      'An Org Management Key (`org_admin`) has full control of the organisation. A Team Management Key ' +
      '(`team_admin`) manages the teams to which it is bound. Only this operation can bind a key to two or ' +
      'more teams: the command line binds a key to one. Only this response contains the whole key.',
    refusals: ['limit_reached'],
    handle: async (ctx, { body: { label, role, team_role_bindings } }) => {
      const bound =
        role === 'team_admin' ? { role, team_ids: teamIdsOf(team_role_bindings ?? []) } : { role, team_ids: null };
      const { value, ...key } = await createManagementKey(ctx, {
        org_id: ctx.org.id,
        label,
        ...callerAsCreator(ctx),
        ...bound,
      });
      return { ...toManagementKey(key), key: value };
    },
  }),
  operation({
    ...ofOrg,
    id: 'patch_management_key',
    method: 'PATCH',
    path: key,
    params: ofKey,
    body: ManagementKeyPatch,
    response: ManagementKey,
    revokes: true,
    summary: 'Change a management key',
    description:
      'Changes its label, and the teams of a Team Management Key. Absent or null keys stay as they are. An ' +
      'Org Management Key cannot be bound: 400 key_not_bindable.',
    refusals: ['key_not_bindable'],
    handle: async (ctx, { params, body: { label = null, team_role_bindings = null } }) =>
      toManagementKey(
        await patchManagementKey(ctx, params.key_id, {
          label,
          team_ids: team_role_bindings && teamIdsOf(team_role_bindings),
        }),
      ),
  }),
  operation({
    ...ofOrg,
    id: 'delete_management_key',
    method: 'DELETE',
    path: key,
    params: ofKey,
    response: RevokedManagementKey,
    revokes: true,
    summary: 'Revoke a management key',
    description:
      'After the response, every process of the service refuses it. The response is the key as it was, or null ' +
      'if it was revoked before. The last Org Management Key of an organisation is refused with 400 ' +
      'last_management_key: create another one first.',
    refusals: ['last_management_key'],
    handle: async (ctx, { params }) => {
      const key = await revokeManagementKey(ctx, ctx.org.id, params.key_id);
      return key && toManagementKey(key);
    },
  }),
];
