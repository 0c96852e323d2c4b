import { Type } from 'typebox';
import { operation } from '../../operation/operation.ts';
import { Uuid } from '../../wire/schema.ts';
import { findOrg } from './find.ts';
import { renameOrg } from './rename.ts';
import { toOrg } from './render.ts';
import { Org, OrgPatch } from './schemas.ts';

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
];
