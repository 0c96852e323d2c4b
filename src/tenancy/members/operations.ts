import { Type } from 'typebox';
import { operation } from '../../operation/operation.ts';
import { browser, webForm } from '../../operation/media.ts';
import { Cursor, SearchWords, Uuid } from '../../wire/schema.ts';
import { Done } from '../schemas.ts';
import { acceptInvite } from './invites/accept-invite.ts';
import { createInvite } from './invites/create.ts';
import { deleteInvite } from './invites/delete.ts';
import { listInvites } from './invites/list.ts';
import { openInvite } from './invites/open-invite.ts';
import { listMembers } from './list.ts';
import { patchMember } from './patch.ts';
import { deleteMember } from './delete.ts';
import { changedRole } from './role.ts';
import { OrgInviteInput, OrgInvitePage, OrgInviteStatus, OrgMemberPage, OrgMemberPatch } from './schemas.ts';

const tag = 'people';
const management = { tag, auth: 'management_key', scope: 'org' } as const;
const members = '/v1/org/{org_id}/member';
const invites = '/v1/org/{org_id}/invite';
const ofOrg = Type.Object({ org_id: Uuid });
const ofMember = Type.Object({
  org_id: Uuid,
  member_id: Type.String({ format: 'uuid', description: 'The id of the member.' }),
});
const search = Type.Object({ search_query: Type.Optional(SearchWords()), next_cursor: Type.Optional(Cursor()) });
const link = {
  tag,
  auth: 'org_signature',
  params: Type.Object({ token: Type.String({ maxLength: 200, description: 'The signed part of the link.' }) }),
  response: browser,
} as const;

export const memberOperations = [
  operation({
    ...management,
    id: 'list_members',
    method: 'GET',
    path: members,
    params: ofOrg,
    query: search,
    response: OrgMemberPage,
    summary: 'List the people of an organisation',
    description:
      'In the order of their invites: all, or those whose name and address contain every word of ' +
      '`search_query`. People become members when they accept an invite.',
    refusals: ['invalid_cursor'],
    handle: (ctx, { query: { search_query = null, next_cursor = null } }) =>
      listMembers(ctx, { search_query, next_cursor }),
  }),
  operation({
    ...management,
    id: 'patch_member',
    method: 'PATCH',
    path: `${members}/{member_id}`,
    params: ofMember,
    body: OrgMemberPatch,
    response: Done,
    revokes: true,
    summary: 'Change the rights of a member',
    description:
      'Null leaves a value as it is. A team_admin needs teams, and other roles have none: 400 ' +
      'role_bindings_mismatch. An organisation can have no org_admin among its members, because its keys ' +
      'manage it.',
    refusals: ['role_bindings_mismatch'],
    handle: async (ctx, { params, body }) => {
      await patchMember(ctx, params.member_id, body);
      return { success: true };
    },
  }),
  operation({
    ...management,
    id: 'delete_member',
    method: 'DELETE',
    path: `${members}/{member_id}`,
    params: ofMember,
    response: Done,
    revokes: true,
    summary: 'Remove a member from an organisation',
    description:
      'Name and address are erased at once, and the sessions of the member end. The keys of the organisation stay valid.',
    handle: async (ctx, { params }) => {
      await deleteMember(ctx, params.member_id);
      return { success: true };
    },
  }),
  operation({
    ...management,
    id: 'list_invites',
    method: 'GET',
    path: invites,
    params: ofOrg,
    query: search,
    response: OrgInvitePage,
    summary: 'List open invites',
    description: 'Oldest first: all, or those whose address contains every word of `search_query`.',
    refusals: ['invalid_cursor'],
    handle: (ctx, { query: { search_query = null, next_cursor = null } }) =>
      listInvites(ctx, ctx.org.id, { search_query, next_cursor }),
  }),
  operation({
    ...management,
    id: 'create_invite',
    method: 'POST',
    path: invites,
    params: ofOrg,
    body: OrgInviteInput,
    response: OrgInviteStatus,
    summary: 'Invite a person by mail',
    description:
      'The mail has a link to a page where the person accepts. The link is valid for seven days. The same ' +
      'invite again sends a new link. If the address has an open invite with another role or other teams, ' +
      'the response is a 409 invite_conflict. If the deployment has no mail server, the operator lists the ' +
      'links with `phial org invites`. An organisation can send 10 mails per day to one address, and 500 in ' +
      'total.',
    refusals: ['limit_reached', 'too_many_mails', 'invite_conflict'],
    handle: async (ctx, { body: { email, role, team_role_bindings = null } }) => ({
      status: await createInvite(ctx, email, changedRole({ role, team_ids: null }, { role, team_role_bindings })),
    }),
  }),
  operation({
    ...management,
    id: 'delete_invite',
    method: 'DELETE',
    path: `${invites}/{invite_id}`,
    params: Type.Object({ org_id: Uuid, invite_id: Uuid }),
    response: Done,
    summary: 'Delete an invite',
    description: 'Its links stop working, and the address is erased.',
    handle: async (ctx, { params }) => {
      await deleteInvite(ctx, params.invite_id);
      return { success: true };
    },
  }),
  operation({
    ...link,
    id: 'open_invite',
    method: 'GET',
    path: '/documents/invite/{token}',
    summary: 'Show an invite to the invited person',
    description:
      'The link in the mail. Opening it changes nothing. A link that is not valid shows a page that says so.',
    handle: (ctx) => openInvite(ctx),
  }),
  operation({
    ...link,
    id: 'accept_invite',
    method: 'POST',
    path: '/documents/invite/{token}',
    body: webForm(
      Type.Object({ name: Type.String({ maxLength: 1000, default: '', description: 'The name of the person.' }) }),
    ),
    headers: ['accept', 'sec-fetch-site'],
    summary: 'Accept an invite',
    description:
      'The page sends this. The person becomes a member, and the link shows that for as long as the person is one. A ' +
      'browser (`Accept: text/html`) gets the cookie of a new session and is led to the dashboard. Programs get a page.',
    handle: (ctx, { body: { name }, headers }) =>
      acceptInvite(ctx, name, { accept: headers['accept'] ?? null, sentFrom: headers['sec-fetch-site'] ?? null }),
  }),
];
