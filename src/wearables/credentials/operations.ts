import { operation, type Operation } from '../../operation/operation.ts';
import { ofDeployment } from '../../tenancy/team-paths.ts';
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

/** The operations on a team's own credentials at providers and laboratories. */
export const credentialOperations: Operation[] = [
  operation({
    id: 'list_team_custom_credentials',
    method: 'GET',
    path,
    tag,
    auth,
    scope: 'teams',
    params: ofDeployment,
    query: CredentialsQuery,
    response: CredentialsPage,
    summary: "List teams' own credentials at providers and laboratories",
    description: 'The oldest come first. Secrets are not shown; the secret of an application is shown as a hash.',
    refusals: ['not_found', 'invalid_cursor'],
    handle: (ctx, { query: { provider = null, next_cursor = null, limit } }) =>
      listCredentials(ctx, ctx.teamIds, { provider, next_cursor, limit }),
  }),
  operation({
    id: 'set_team_custom_credentials',
    method: 'POST',
    path,
    tag,
    auth,
    scope: 'team',
    params: ofDeployment,
    body: CredentialsInput,
    response: Credentials,
    summary: "Set a team's own credentials at a provider or laboratory",
    description:
      'From now on users of the team connect by its own application, also where this deployment has ' +
      'none at the provider. A member that is left out stays as it is; null removes it. Another ' +
      'client_id is another application with an id of its own: connections that were made by the ' +
      'former application, or by that of the deployment, continue with that one. Credentials of ' +
      'providers that cannot be connected here, and of laboratories, which the operator connects, are ' +
      'only stored and shown.',
    refusals: ['not_found', 'credentials_incomplete', 'limit_reached'],
    handle: (ctx, { body }) => setCredentials(ctx, body),
  }),
  operation({
    id: 'delete_team_custom_credentials',
    method: 'DELETE',
    path,
    tag,
    auth,
    params: ofDeployment,
    query: CredentialsRemoval,
    response: RemovedCredentials,
    summary: "Delete teams' own credentials at providers and laboratories",
    description:
      'From now on users connect by the application of this deployment, where it has one. Connections ' +
      'of a deleted application are still renewed and ended by it: its secret is erased within two ' +
      'hours of the end of the last of them.',
    refusals: ['insufficient_scope'],
    handle: (ctx, { query: { credential_id } }) => removeCredentials(ctx, credential_id),
  }),
  operation({
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
    summary: 'List what to enter at a provider for an application of a team',
    description:
      'Call it before the credentials are set. Where the provider needs no address of ours, there is ' +
      'nothing to enter.',
    refusals: ['not_found'],
    handle: async (ctx, { body: { provider } }) => prepareCredentials(ctx, provider),
  }),
];
