import { Type } from 'typebox';
import { endpoint } from '../../http/endpoint.ts';
import { browser, webForm } from '../../http/media.ts';
import { Cursor, SearchWords, Uuid } from '../../wire/schema.ts';
import { Done } from '../schemas.ts';
import { acceptInvite } from './invites/accept.ts';
import { createInvite } from './invites/create.ts';
import { deleteInvite } from './invites/delete.ts';
import { listInvites } from './invites/list.ts';
import { openInvite } from './invites/open.ts';
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
  member_id: Type.String({ format: 'uuid', description: 'Id of the member.' }),
});
const search = Type.Object({ search_query: Type.Optional(SearchWords()), next_cursor: Type.Optional(Cursor()) });
const link = {
  tag,
  auth: 'org_signature',
  params: Type.Object({ token: Type.String({ maxLength: 200, description: 'The signed part of the link.' }) }),
  response: browser,
} as const;

export const memberEndpoints = [
  endpoint({
    ...management,
    id: 'list_members',
    method: 'GET',
    path: members,
    params: ofOrg,
    query: search,
    response: OrgMemberPage,
    summary: 'List the people of an organisation',
    description:
      'In the order they were invited: all, or those whose name and address have every word of `search_query`. Members become ' +
      'members by accepting an invite.',
    refusals: ['invalid_cursor'],
    handle: (ctx, { query: { search_query = null, next_cursor = null } }) =>
      listMembers(ctx, { search_query, next_cursor }),
  }),
  endpoint({
    ...management,
    id: 'patch_member',
    method: 'PATCH',
    path: `${members}/{member_id}`,
    params: ofMember,
    body: OrgMemberPatch,
    response: Done,
    summary: 'Change what a member may do',
    description:
      'Null leaves as it is. A team_admin needs teams, and nobody else is bound to any: 400 role_bindings_mismatch. An ' +
      'organisation may be without an org_admin among its members: it is managed by its keys.',
    refusals: ['role_bindings_mismatch'],
    handle: async (ctx, { params, body }) => {
      await patchMember(ctx, params.member_id, body);
      return { success: true };
    },
  }),
  endpoint({
    ...management,
    id: 'delete_member',
    method: 'DELETE',
    path: `${members}/{member_id}`,
    params: ofMember,
    response: Done,
    summary: 'Take a member out of an organisation',
    description: 'Name and address are erased at once. Keys that the organisation has stay as they are.',
    handle: async (ctx, { params }) => {
      await deleteMember(ctx, params.member_id);
      return { success: true };
    },
  }),
  endpoint({
    ...management,
    id: 'list_invites',
    method: 'GET',
    path: invites,
    params: ofOrg,
    query: search,
    response: OrgInvitePage,
    summary: 'List open invites',
    description: 'In the order they were made: all, or those whose address has every word of `search_query`.',
    refusals: ['invalid_cursor'],
    handle: (ctx, { query: { search_query = null, next_cursor = null } }) =>
      listInvites(ctx, ctx.org.id, { search_query, next_cursor }),
  }),
  endpoint({
    ...management,
    id: 'create_invite',
    method: 'POST',
    path: invites,
    params: ofOrg,
    body: OrgInviteInput,
    response: OrgInviteStatus,
    summary: 'Invite somebody by mail',
    description:
      'The mail has a link to a page on which the person accepts, good for seven days. The same invite again sends a new ' +
      'link; an open invite of the address to another role or other teams is 409 invite_conflict. Where the deployment has ' +
      'no mail server, whoever runs it shows the links by `phial org invites`. An organisation sends 10 mails a day to one ' +
      'address, and 500 in all.',
    refusals: ['limit_reached', 'too_many_mails', 'invite_conflict'],
    handle: async (ctx, { body: { email, role, team_role_bindings = null } }) => ({
      status: await createInvite(ctx, email, changedRole({ role, team_ids: null }, { role, team_role_bindings })),
    }),
  }),
  endpoint({
    ...management,
    id: 'delete_invite',
    method: 'DELETE',
    path: `${invites}/{invite_id}`,
    params: Type.Object({ org_id: Uuid, invite_id: Uuid }),
    response: Done,
    summary: 'Take an invite back',
    description: 'Its links open nothing from here on, and the address is erased.',
    handle: async (ctx, { params }) => {
      await deleteInvite(ctx, params.invite_id);
      return { success: true };
    },
  }),
  endpoint({
    ...link,
    id: 'open_invite',
    method: 'GET',
    path: '/documents/invite/{token}',
    summary: 'Show an invite to the invited person',
    description: 'The link of the mail. Opening it changes nothing. A link that does not open is told by a page.',
    handle: (ctx) => openInvite(ctx),
  }),
  endpoint({
    ...link,
    id: 'accept_invite',
    method: 'POST',
    path: '/documents/invite/{token}',
    body: webForm(
      Type.Object({ name: Type.String({ maxLength: 1000, default: '', description: 'The name of the person.' }) }),
    ),
    summary: 'Accept an invite',
    description:
      'What the page sends: the person is a member from then on, and the link tells that as long as they are.',
    handle: (ctx, { body: { name } }) => acceptInvite(ctx, name),
  }),
];
