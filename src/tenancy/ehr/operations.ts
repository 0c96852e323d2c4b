import { Type } from 'typebox';
import { operation } from '../../operation/operation.ts';
import { Cursor, Uuid } from '../../wire/schema.ts';
import { Done } from '../schemas.ts';
import { findConfiguration, putConfiguration } from './configuration.ts';
import { createDashboardUrl } from './create-dashboard-url.ts';
import { createEhrMember } from './members/create.ts';
import { listEhrMembers } from './members/list.ts';
import { findEhrMember } from './members/find.ts';
import { toEhrMember } from './members/render.ts';
import { patchEhrMember } from './members/patch.ts';
import { deleteEhrMember } from './members/delete.ts';
import {
  DashboardUrl,
  DashboardUrlInput,
  EhrConfiguration,
  EhrConfigurationInput,
  EhrMember,
  EhrMemberInput,
  EhrMemberPage,
  EhrMemberPatch,
  EhrMemberReference,
  IntegrationMemberIDConflictResponse,
} from './schemas.ts';

const tag = 'ehr';
const management = { tag, auth: 'management_key', scope: 'org' } as const;
const root = '/v1/org/{org_id}/ehr_integration';
const member = `${root}/member/{member_id}`;
const ofOrg = Type.Object({ org_id: Uuid });
const ofMember = Type.Object({
  org_id: Uuid,
  member_id: Type.String({ format: 'uuid', description: 'The id of the member.' }),
});

export const ehrOperations = [
  operation({
    ...management,
    id: 'create_dashboard_url',
    method: 'POST',
    path: `${root}/create_dashboard_url`,
    params: ofOrg,
    body: DashboardUrlInput,
    response: DashboardUrl,
    secretResponse: true,
    summary: 'Create a dashboard link for a person of an EHR',
    description:
      'The link signs the person in once, within `expires_in` seconds, and leads to the feature. With a team, ' +
      'the session sees this team only. Otherwise it sees all teams of the person. Pages do not open inside a ' +
      'page of the EHR: `feature_embed` is a 400 modality_not_available. The environment is that of the ' +
      'deployment. Another one is a 404 wrong_deployment.',
    refusals: ['unknown_feature', 'modality_not_enabled', 'team_not_bound', 'modality_not_available'],
    handle: (ctx, { body }) => createDashboardUrl(ctx, body),
  }),
  operation({
    ...management,
    id: 'create_ehr_member',
    method: 'POST',
    path: `${root}/member`,
    params: ofOrg,
    body: EhrMemberInput,
    response: EhrMember,
    summary: 'Add a person of an EHR',
    description: '409: `detail.member_id` is the member that already has the integration_member_id.',
    refusals: ['limit_reached', 'integration_member_id_conflict'],
    refusedWith: { integration_member_id_conflict: IntegrationMemberIDConflictResponse },
    handle: async (ctx, { body }) => toEhrMember(await createEhrMember(ctx, body)),
  }),
  operation({
    ...management,
    id: 'list_ehr_members',
    method: 'GET',
    path: `${root}/member`,
    params: ofOrg,
    query: Type.Object({ next_cursor: Type.Optional(Cursor()) }),
    response: EhrMemberPage,
    summary: 'List the people of an EHR',
    description: 'Oldest first.',
    refusals: ['invalid_cursor'],
    handle: (ctx, { query: { next_cursor = null } }) => listEhrMembers(ctx, next_cursor),
  }),
  operation({
    ...management,
    id: 'resolve_ehr_member',
    method: 'POST',
    path: `${root}/resolve_member`,
    params: ofOrg,
    body: EhrMemberReference,
    response: EhrMember,
    summary: "Find a person by the EHR's own id",
    description: 'An unknown id is a 404.',
    handle: async (ctx, { body }) => toEhrMember(await findEhrMember(ctx, body)),
  }),
  operation({
    ...management,
    id: 'get_ehr_member',
    method: 'GET',
    path: member,
    params: ofMember,
    response: EhrMember,
    summary: 'Read a person of an EHR',
    handle: async (ctx, { params }) => toEhrMember(await findEhrMember(ctx, { id: params.member_id })),
  }),
  operation({
    ...management,
    id: 'patch_ehr_member',
    method: 'PATCH',
    path: member,
    params: ofMember,
    body: EhrMemberPatch,
    response: EhrMember,
    revokes: true,
    summary: 'Change a person of an EHR',
    description:
      'Absent keys stay as they are. Null removes the picture or the teams, and leaves the name and the address.',
    handle: async (ctx, { params, body }) => toEhrMember(await patchEhrMember(ctx, params.member_id, body)),
  }),
  operation({
    ...management,
    id: 'delete_ehr_member',
    method: 'DELETE',
    path: member,
    params: ofMember,
    response: Done,
    erases: 'member_id',
    revokes: true,
    summary: 'Erase a person of an EHR',
    description:
      'Links for the person stop working, and no response about the person is repeated for its X-Idempotency-Key.',
    handle: async (ctx, { params }) => {
      await deleteEhrMember(ctx, params.member_id);
      return { success: true };
    },
  }),
  operation({
    ...management,
    id: 'get_ehr_configuration',
    method: 'GET',
    path: `${root}/configuration`,
    params: ofOrg,
    response: EhrConfiguration,
    summary: 'Read the EHR configuration of an organisation',
    description: '404 while there is no configuration.',
    handle: (ctx) => findConfiguration(ctx),
  }),
  operation({
    ...management,
    id: 'put_ehr_configuration',
    method: 'PUT',
    path: `${root}/configuration`,
    params: ofOrg,
    body: EhrConfigurationInput,
    response: EhrConfiguration,
    summary: 'Set the EHR configuration of an organisation',
    description:
      'Replaces the whole configuration. A slug that another organisation of the deployment has is a 409 ' +
      'ehr_slug_taken.',
    refusals: ['ehr_slug_taken'],
    handle: (ctx, { body }) => putConfiguration(ctx, body),
  }),
];
