import { Type } from 'typebox';
import { operation, type Operation } from '../../../operation/operation.ts';
import { Uuid } from '../../../wire/schema.ts';
import { listRequirements } from './list.ts';
import { Requirements, RequirementsInput, RequirementsQuery } from './schemas.ts';
import { setRequirements } from './set.ts';

const tag = 'management';
const auth = 'management_key';
const scope = 'team';
const path = '/v1/org/{org_id}/team/{team_id}/scope_requirements';
const params = Type.Object({ org_id: Uuid, team_id: Uuid });

/** The operations on the scopes that we request from a team's users at providers' pages. */
export const requirementOperations: Operation[] = [
  operation({
    id: 'list_scope_requirements',
    method: 'GET',
    path,
    tag,
    auth,
    scope,
    params,
    query: RequirementsQuery,
    response: Requirements,
    summary: 'List the scopes that users are asked to grant',
    description: 'By provider. For a provider that is not listed, users are asked for every scope that brings data.',
    handle: async (ctx, { query: { provider = null } }) => ({ requirements: await listRequirements(ctx, provider) }),
  }),
  operation({
    id: 'set_scope_requirements',
    method: 'POST',
    path,
    tag,
    auth,
    scope,
    params,
    body: RequirementsInput,
    response: Requirements,
    summary: 'Choose the scopes that users are asked to grant',
    description:
      'The choice applies to connections that are made from now on. The service also asks for scopes ' +
      'that a connection needs to last. A user who leaves out a required scope comes back with ' +
      'required_scopes_not_granted. Providers that are left out or null keep their choice. The response ' +
      'has the current choice.',
    handle: async (ctx, { body }) => {
      await setRequirements(
        ctx,
        Object.entries(body).flatMap(([provider, requirement]) => (requirement ? [[provider, requirement]] : [])),
      );
      return { requirements: await listRequirements(ctx, null) };
    },
  }),
];
