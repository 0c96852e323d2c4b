import { Type } from 'typebox';
import { FutureMoment, nullable, oneOf, optional, Text, Timestamp, Uuid } from '../../wire/schema.ts';
import { KEY_SCOPES } from './scopes.ts';
import { Bindings, TeamRoleBinding } from '../role-bindings.ts';

const Scope = oneOf(KEY_SCOPES);
const teamApiKey = {
  id: Uuid,
  label: Type.String(),
  team_id: Uuid,
  created_at: Timestamp,
  scopes: nullable(Type.Array(Scope, { description: 'What the key is limited to; null: it opens all of its team.' })),
  expires_at: nullable(
    Type.String({ format: 'date-time', description: 'When the key ends; null: when it is revoked.' }),
  ),
  last_used_at: nullable(
    Type.String({ format: 'date-time', description: 'When it was used last, to about a minute; null: never yet.' }),
  ),
};

export const TeamApiKeyInput = Type.Object({
  label: Text(200),
  team_id: Uuid,
  scopes: optional(
    Type.Array(Scope, {
      minItems: 1,
      maxItems: KEY_SCOPES.length,
      description:
        'What the key is limited to: `read` is the reading of everything, `orders` all of an area, `orders:read` its ' +
        'reading. Left out, the key opens all of its team. What a webhook or the events tell of is of every area.',
    }),
  ),
  expires_at: optional(
    Type.String({ ...FutureMoment, description: 'When the key ends by itself. Left out, it ends when it is revoked.' }),
  ),
});
export const TeamApiKey = Type.Object({
  ...teamApiKey,
  value: Type.String({ description: 'The whole key: it is shown here and never again.' }),
});
export const TeamApiKeyPage = Type.Object({
  api_keys: Type.Array(
    Type.Object({ ...teamApiKey, value: Type.String({ description: 'The first characters of the key.' }) }),
  ),
  next_cursor: nullable(Type.String()),
});
export const RevokedTeamApiKeys = Type.Object({
  success: Type.Array(Uuid),
  failure: Type.Array(Uuid),
  not_found: Type.Array(Uuid),
});

const Role = oneOf(['org_admin', 'team_admin'], {
  description: 'org_admin: an Org Management Key; team_admin: a Team Management Key.',
});
const TeamsOfKey = Bindings({ minItems: 1, description: 'The teams that a Team Management Key opens.' });

const managementKey = {
  id: Uuid,
  label: Type.String(),
  key_prefix: Type.String({ description: 'The first characters of the key, by which a person tells keys apart.' }),
  created_at: Timestamp,
  creator: Type.Object({
    type: oneOf(['management_key', 'service_staff'], {
      description: 'management_key: made over this API; service_staff: by the operator, on the command line.',
    }),
  }),
  role: Role,
  team_role_bindings: nullable(Type.Array(TeamRoleBinding)),
};

export const ManagementKeyInput = Type.Object(
  { label: Text(200), role: Role, team_role_bindings: optional(TeamsOfKey) },
  { boundByRole: true },
);
export const ManagementKeyPatch = Type.Object({
  label: optional(Text(200)),
  team_role_bindings: optional(TeamsOfKey),
});
export const ManagementKey = Type.Object(managementKey);
/** Null where it was revoked before. */
export const RevokedManagementKey = nullable(ManagementKey);
export const NewManagementKey = Type.Object({
  ...managementKey,
  key: Type.String({ description: 'The whole key: it is shown here and never again.' }),
});
export const ManagementKeyPage = Type.Object({
  data: Type.Array(ManagementKey),
  next_cursor: nullable(Type.String()),
});
