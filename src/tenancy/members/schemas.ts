import { Type } from 'typebox';
import { Email } from '../../wire/person.ts';
import { nullable, oneOf, optional, Timestamp, Uuid, withDefault } from '../../wire/schema.ts';
import { CREATORS } from '../creator.ts';
import { Bindings, TeamRoleBinding } from '../role-bindings.ts';
import { MemberRole } from '../schemas.ts';
import { shape } from '../../wire/shape.ts';

const TeamsOfRole = Bindings({ minItems: 1, description: 'The teams that a team_admin manages.' });
const bound = {
  role: MemberRole,
  team_role_bindings: nullable(
    Type.Array(TeamRoleBinding, { description: 'The teams that a team_admin manages. Null for other roles.' }),
  ),
};
const nextCursor = nullable(Type.String());

const OrgMember = shape('OrgMember', {
  id: Uuid,
  name: Type.String(),
  email: Type.String(),
  created_on: Timestamp,
  ...bound,
});
export const OrgMemberPage = shape('OrgMemberPage', { members: Type.Array(OrgMember), next_cursor: nextCursor });
export const OrgMemberPatch = shape(
  'OrgMemberPatch',
  { role: nullable(MemberRole), team_role_bindings: nullable(TeamsOfRole) },
  {
    fulfils: {
      words: '`team_role_bindings` is refused with any `role` but `team_admin`.',
      // If the request has no role or no bindings, we need the stored ones to decide. `changedRole` does that.
      check: ({ role, team_role_bindings }: Record<string, unknown>) =>
        Array.isArray(team_role_bindings) && (role === 'org_admin' || role === 'no_role')
          ? [{ at: ['team_role_bindings'], type: 'value_error', msg: 'Only a team_admin can be bound to teams' }]
          : [],
    },
  },
);

const OrgInvite = shape('OrgInvite', {
  id: Uuid,
  email: Type.String(),
  invited_at: Timestamp,
  resent_at: nullable(Timestamp),
  creator: Type.Object(
    {
      type: oneOf(CREATORS, {
        description:
          'management_key: made over this API; org_member: made by a member in the dashboard; service_staff: made ' +
          'by the operator.',
      }),
    },
    { description: 'Who made the invite.' },
  ),
  ...bound,
});
export const OrgInvitePage = shape('OrgInvitePage', { invites: Type.Array(OrgInvite), next_cursor: nextCursor });
export const OrgInviteInput = shape(
  'OrgInviteInput',
  {
    email: Email,
    role: withDefault(oneOf(['org_admin', 'team_admin', 'no_role']), 'org_admin'),
    team_role_bindings: optional(TeamsOfRole),
  },
  { boundByRole: true },
);
export const OrgInviteStatus = shape('OrgInviteStatus', {
  status: oneOf(['invite_created', 'invite_resent', 'already_in_org'], {
    description:
      'invite_resent: an invite was open, and its link is sent again; already_in_org: a member has this address.',
  }),
});
