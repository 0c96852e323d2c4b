import { Type } from 'typebox';
import { FutureMoment, nullable, oneOf, optional, Text, Timestamp, Uuid } from '../../wire/schema.ts';
import { KEY_SCOPES } from './key-scopes.ts';
import { CREATORS } from '../creator.ts';
import { Bindings, TeamRoleBinding } from '../role-bindings.ts';
import { shape } from '../../wire/shape.ts';

const Scope = oneOf(KEY_SCOPES);
const teamApiKey = {
  id: Uuid,
  label: Type.String(),
  team_id: Uuid,
  created_at: Timestamp,
  scopes: nullable(Type.Array(Scope, { description: 'The scopes of the key. Null: no limits within its team.' })),
  expires_at: nullable(
    Type.String({ format: 'date-time', description: 'The time when the key ends. Null: when it is revoked.' }),
  ),
  last_used_at: nullable(
    Type.String({ format: 'date-time', description: 'The time of the last use, within about a minute. Null: never.' }),
  ),
};

export const TeamApiKeyInput = shape('TeamApiKeyInput', {
  label: Text(200),
  team_id: Uuid,
  scopes: optional(
    Type.Array(Scope, {
      minItems: 1,
      maxItems: KEY_SCOPES.length,
      description:
        'The scopes of the key: `read` allows reading everything, `orders` everything in an area, ' +
        '`orders:read` reading in an area. Absent: no limits within its team. Webhooks and events can ' +
        'contain data of every area.',
    }),
  ),
  expires_at: optional(
    Type.String({ ...FutureMoment, description: 'The time when the key ends. Absent: when it is revoked.' }),
  ),
});
export const TeamApiKey = shape('TeamApiKey', {
  ...teamApiKey,
  value: Type.String({ description: 'The whole key. It is never shown again.' }),
});
export const TeamApiKeyPage = shape('TeamApiKeyPage', {
  api_keys: Type.Array(
    Type.Object({ ...teamApiKey, value: Type.String({ description: 'The first characters of the key.' }) }),
  ),
  next_cursor: nullable(Type.String()),
});
export const RevokedTeamApiKeys = shape('RevokedTeamApiKeys', {
  success: Type.Array(Uuid),
  failure: Type.Array(Uuid),
  not_found: Type.Array(Uuid),
});

const Role = oneOf(['org_admin', 'team_admin'], {
  description: 'org_admin: an Org Management Key; team_admin: a Team Management Key.',
});
const TeamsOfKey = Bindings({ minItems: 1, description: 'The teams of a Team Management Key.' });

const managementKey = {
  id: Uuid,
  label: Type.String(),
  key_prefix: Type.String({ description: 'The first characters of the key, so that people can distinguish keys.' }),
  created_at: Timestamp,
  creator: Type.Object({
    type: oneOf(CREATORS, {
      description:
        'management_key: made over this API; org_member: made by a member in the dashboard; service_staff: made ' +
        'by the operator.',
    }),
  }),
  role: Role,
  team_role_bindings: nullable(Type.Array(TeamRoleBinding)),
};

export const ManagementKeyInput = shape(
  'ManagementKeyInput',
  { label: Text(200), role: Role, team_role_bindings: optional(TeamsOfKey) },
  { boundByRole: true },
);
export const ManagementKeyPatch = shape('ManagementKeyPatch', {
  label: optional(Text(200)),
  team_role_bindings: optional(TeamsOfKey),
});
export const ManagementKey = shape('ManagementKey', managementKey);
/** The revoked key. Null if it was already revoked before this request. */
export const RevokedManagementKey = nullable(ManagementKey);
export const NewManagementKey = shape('NewManagementKey', {
  ...managementKey,
  key: Type.String({ description: 'The whole key. It is never shown again.' }),
});
export const ManagementKeyPage = shape('ManagementKeyPage', {
  data: Type.Array(ManagementKey),
  next_cursor: nullable(Type.String()),
});
