import { endpoint, type Endpoint } from '../../http/endpoint.ts';
import { ofDeployment } from '../../tenancy/places.ts';
import { listCredentials } from './list.ts';
import { prepareCredentials } from './prepare.ts';
import { removeCredentials } from './remove.ts';
import {
  Credentials,
  CredentialsInput,
  CredentialsPage,
  CredentialsQuery,
  CredentialsRemoval,
  Preparation,
  PreparationInput,
  RemovedCredentials,
} from './schemas.ts';
import { setCredentials } from './set.ts';

const tag = 'management';
const auth = 'management_key';
const path = '/v1/org/{org_id}/team_custom_credentials/{env}/{region}';

/** What teams have of their own at providers and laboratories. */
export const credentialEndpoints: Endpoint[] = [
  endpoint({
    id: 'list_team_custom_credentials',
    method: 'GET',
    path,
    tag,
    auth,
    scope: 'teams',
    params: ofDeployment,
    query: CredentialsQuery,
    response: CredentialsPage,
    summary: 'List what teams have of their own at providers and laboratories',
    description: 'In the order they were first set. Secrets are not shown: of the one of an application its hash is.',
    refusals: ['not_found', 'invalid_cursor'],
    handle: (ctx, { query: { provider = null, next_cursor = null, limit } }) =>
      listCredentials(ctx, ctx.teamIds, { provider, next_cursor, limit }),
  }),
  endpoint({
    id: 'set_team_custom_credentials',
    method: 'POST',
    path,
    tag,
    auth,
    scope: 'team',
    params: ofDeployment,
    body: CredentialsInput,
    response: Credentials,
    summary: 'Set what a team has of its own at a provider or laboratory',
    description:
      'Users of the team connect by its own application from now on, also where this deployment has none at the provider. What is ' +
      'left out stays as it is, null takes it away. Another client_id is another application, with an id of its own: connections ' +
      'that were made by the one before, or by that of the deployment, go on by it. Of providers that cannot be connected here, and of laboratories, ' +
      'which the operator connects, it is kept and shown.',
    refusals: ['not_found', 'credentials_incomplete', 'limit_reached'],
    handle: (ctx, { body }) => setCredentials(ctx, body),
  }),
  endpoint({
    id: 'delete_team_custom_credentials',
    method: 'DELETE',
    path,
    tag,
    auth,
    params: ofDeployment,
    query: CredentialsRemoval,
    response: RemovedCredentials,
    summary: 'Delete what teams have of their own at providers and laboratories',
    description:
      'From now on users connect by the application of this deployment, where it has one. Connections that were made by a deleted ' +
      'one are renewed and ended by it: its secret is erased within two hours of the end of the last of them.',
    refusals: ['insufficient_scope'],
    handle: (ctx, { query: { credential_id } }) => removeCredentials(ctx, credential_id),
  }),
  endpoint({
    id: 'prepare_team_custom_credentials',
    method: 'POST',
    path: '/v1/org/{org_id}/prepare_team_custom_credentials/{env}/{region}',
    tag,
    auth,
    scope: 'team',
    params: ofDeployment,
    body: PreparationInput,
    response: Preparation,
    readsOnly: true,
    summary: 'Tell what to enter at a provider for an application of a team',
    description: 'Before its credentials are set. Where nothing of the provider leads here, there is nothing to enter.',
    refusals: ['not_found'],
    handle: async (ctx, { body: { provider } }) => prepareCredentials(ctx, provider),
  }),
];
