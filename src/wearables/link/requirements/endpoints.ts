import { Type } from 'typebox';
import { endpoint, type Endpoint } from '../../../http/endpoint.ts';
import { Uuid } from '../../../wire/schema.ts';
import { listRequirements } from './list.ts';
import { Requirements, RequirementsInput, RequirementsQuery } from './schemas.ts';
import { setRequirements } from './set.ts';

const tag = 'management';
const auth = 'management_key';
const scope = 'team';
const path = '/v1/org/{org_id}/team/{team_id}/scope_requirements';
const params = Type.Object({ org_id: Uuid, team_id: Uuid });

/** What a team asks its users for at providers' pages. */
export const requirementEndpoints: Endpoint[] = [
  endpoint({
    id: 'list_scope_requirements',
    method: 'GET',
    path,
    tag,
    auth,
    scope,
    params,
    query: RequirementsQuery,
    response: Requirements,
    summary: 'List what users are asked to grant',
    description: 'By provider. Of providers that are not listed every scope is asked for that brings data.',
    handle: async (ctx, { query: { provider = null } }) => ({ requirements: await listRequirements(ctx, provider) }),
  }),
  endpoint({
    id: 'set_scope_requirements',
    method: 'POST',
    path,
    tag,
    auth,
    scope,
    params,
    body: RequirementsInput,
    response: Requirements,
    summary: 'Choose what users are asked to grant',
    description:
      'It holds for connections that are made from now on. Beside what is chosen the service asks for what a connection cannot be ' +
      'held without. A user who leaves out what must be granted comes back with required_scopes_not_granted. Providers that are ' +
      'left out or null stay as they are. Answers what is chosen now.',
    handle: async (ctx, { body }) => {
      await setRequirements(
        ctx,
        Object.entries(body).flatMap(([provider, requirement]) => (requirement ? [[provider, requirement]] : [])),
      );
      return { requirements: await listRequirements(ctx, null) };
    },
  }),
];
