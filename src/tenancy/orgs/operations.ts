import { Type } from 'typebox';
import { operation } from '../../operation/operation.ts';
import { Uuid } from '../../wire/schema.ts';
import { findOrg } from './find.ts';
import { renameOrg } from './rename.ts';
import { toOrg } from './render.ts';
import { Org, OrgPatch, OrgPlan } from './schemas.ts';
import { setPlan } from './set-plan.ts';

const own = {
  path: '/v1/org/{org_id}',
  tag: 'management',
  auth: 'management_key',
  scope: 'org',
  params: Type.Object({ org_id: Uuid }),
  response: Org,
} as const;

export const orgOperations = [
  operation({
    ...own,
    id: 'get_org',
    method: 'GET',
    summary: 'Read your organisation',
    handle: async (ctx) => toOrg(await findOrg(ctx, ctx.org.id)),
  }),
  operation({
    ...own,
    id: 'patch_org',
    method: 'PATCH',
    body: OrgPatch,
    summary: 'Rename your organisation',
    description: 'Only the operator of the service can change its plan.',
    handle: async (ctx, { body: { name } }) => toOrg(await renameOrg(ctx, name)),
  }),
  operation({
    ...own,
    path: `${own.path}/plan`,
    id: 'get_org_plan',
    method: 'GET',
    response: OrgPlan,
    summary: 'Read the plan of your organisation',
    handle: async ({ org: { plan } }) => ({ plan }),
  }),
  operation({
    ...own,
    path: `${own.path}/plan`,
    id: 'put_org_plan',
    method: 'PUT',
    operatorOnly: true,
    body: OrgPlan,
    response: OrgPlan,
    summary: 'Set the plan of an organisation, as the operator',
    description:
      'Management keys, and members who are signed in, need the plan scale. The operator can sign in with any plan.',
    revokes: true,
    handle: async (ctx, { body: { plan } }) => {
      await setPlan(ctx, { org_id: ctx.org.id, plan });
      return { plan };
    },
  }),
];
