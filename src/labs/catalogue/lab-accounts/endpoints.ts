import { Type } from 'typebox';
import { endpoint } from '../../../http/endpoint.ts';
import { ofDeployment } from '../../../tenancy/places.ts';
import { Uuid } from '../../../wire/schema.ts';
import { listManagedLabAccounts } from './list-managed.ts';
import { LabAccountAllowlist, LabAccountAnswer, ManagedLabAccountQuery, ManagedLabAccounts } from './schemas.ts';
import { setAllowlist } from './set-allowlist.ts';

const tag = 'management';
const auth = 'management_key';
const collection = '/v1/org/{org_id}/lab_account/{env}/{region}';

/** How an organisation decides which of its teams order under which account. */
export const labAccountEndpoints = [
  endpoint({
    id: 'list_org_lab_accounts',
    method: 'GET',
    path: collection,
    tag,
    auth,
    scope: 'org',
    params: ofDeployment,
    query: ManagedLabAccountQuery,
    response: ManagedLabAccounts,
    summary: 'List lab accounts of the organisation',
    description:
      'With the teams that each is open to. Accounts without org_id are open to everybody, as in a sandbox. Whoever runs ' +
      'the service adds accounts.',
    refusals: ['not_found'],
    handle: async (ctx, { query }) => ({ data: await listManagedLabAccounts(ctx, query) }),
  }),
  endpoint({
    id: 'patch_org_lab_account',
    method: 'PATCH',
    path: `${collection}/{account_id}`,
    tag,
    auth,
    scope: 'org',
    params: Type.Object({ ...ofDeployment.properties, account_id: Uuid }),
    body: LabAccountAllowlist,
    response: LabAccountAnswer,
    summary: 'Say which teams may use a lab account',
    description:
      'The list takes the place of the one before; an empty one opens the account to all teams of the organisation. Orders ' +
      'that are under way keep their account. An account that is open to everybody cannot be changed.',
    refusals: ['not_found'],
    handle: async (ctx, { params: { account_id }, body: { team_id_allowlist } }) => ({
      lab_account: await setAllowlist(ctx, account_id, team_id_allowlist),
    }),
  }),
];
