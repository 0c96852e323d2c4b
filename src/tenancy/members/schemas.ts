import { Type } from 'typebox';
import { Email } from '../../wire/person.ts';
import { nullable, oneOf, optional, Timestamp, Uuid, withDefault } from '../../wire/schema.ts';
import { Bindings, TeamRoleBinding } from '../role-bindings.ts';

export const MemberRole = oneOf(['org_admin', 'team_admin', 'no_role'], {
  description:
    'org_admin: manages the organisation; team_admin: the teams that are named; no_role: belongs to it and manages nothing.',
});
const TeamsOfRole = Bindings({ minItems: 1, description: 'The teams that a team_admin may manage.' });
const bound = {
  role: MemberRole,
  team_role_bindings: nullable(
    Type.Array(TeamRoleBinding, { description: 'The teams that a team_admin may manage; null for every other role.' }),
  ),
};
const nextCursor = nullable(Type.String());

export const OrgMember = Type.Object({
  id: Uuid,
  name: Type.String(),
  email: Type.String(),
  created_on: Timestamp,
  ...bound,
});
export const OrgMemberPage = Type.Object({ members: Type.Array(OrgMember), next_cursor: nextCursor });
export const OrgMemberPatch = Type.Object(
  { role: nullable(MemberRole), team_role_bindings: nullable(TeamsOfRole) },
  {
    fulfils: {
      words: '`team_role_bindings` is refused with any `role` but `team_admin`.',
      // Without a role, or without bindings, what is stored decides.
      check: ({ role, team_role_bindings }: Record<string, unknown>) =>
        Array.isArray(team_role_bindings) && (role === 'org_admin' || role === 'no_role')
          ? [{ at: ['team_role_bindings'], type: 'value_error', msg: 'Only a team_admin is bound to teams' }]
          : [],
    },
  },
);

export const OrgInvite = Type.Object({
  id: Uuid,
  email: Type.String(),
  invited_at: Timestamp,
  resent_at: nullable(Timestamp),
  creator: Type.Object(
    { type: oneOf(['management_key'], { description: 'management_key: made over this API.' }) },
    { description: 'Who invited.' },
  ),
  ...bound,
});
export const OrgInvitePage = Type.Object({ invites: Type.Array(OrgInvite), next_cursor: nextCursor });
export const OrgInviteInput = Type.Object(
  {
    email: Email,
    role: withDefault(oneOf(['org_admin', 'team_admin', 'no_role']), 'org_admin'),
    team_role_bindings: optional(TeamsOfRole),
  },
  { boundByRole: true },
);
export const OrgInviteStatus = Type.Object({
  status: oneOf(['invite_created', 'invite_resent', 'already_in_org'], {
    description:
      'invite_resent: there was one already, and its link goes out anew; already_in_org: a member has this address.',
  }),
});
