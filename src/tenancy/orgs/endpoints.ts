import { Type } from 'typebox';
import { endpoint } from '../../http/endpoint.ts';
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

export const orgEndpoints = [
  endpoint({
    ...own,
    id: 'get_org',
    method: 'GET',
    summary: 'Read your organisation',
    handle: async (ctx) => toOrg(await findOrg(ctx, ctx.org.id)),
  }),
  endpoint({
    ...own,
    id: 'patch_org',
    method: 'PATCH',
    body: OrgPatch,
    summary: 'Rename your organisation',
    description: 'Its plan changes only by whoever runs the service.',
    handle: async (ctx, { body: { name } }) => toOrg(await renameOrg(ctx, name)),
  }),
];
