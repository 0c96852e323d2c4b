import { Type } from 'typebox';
import { operation } from '../../../operation/operation.ts';
import { ofDeployment } from '../../../tenancy/team-paths.ts';
import { Uuid } from '../../../wire/schema.ts';
import { listManagedLabAccounts } from './list-managed.ts';
import { LabAccountAllowlist, LabAccountAnswer, ManagedLabAccountQuery, ManagedLabAccounts } from './schemas.ts';
import { setAllowlist } from './set-allowlist.ts';

const tag = 'management';
const auth = 'management_key';
const collection = '/v1/org/{org_id}/lab_account/{env}/{region}';

/** The operations with which an organisation decides which of its teams may use which account. */
export const labAccountOperations = [
  operation({
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
      'With the teams to which each account is open. Accounts without org_id are open to everybody, as in a ' +
      'sandbox. The operator of the service adds accounts.',
    refusals: ['not_found'],
    handle: async (ctx, { query }) => ({ data: await listManagedLabAccounts(ctx, query) }),
  }),
  operation({
    id: 'patch_org_lab_account',
    method: 'PATCH',
    path: `${collection}/{account_id}`,
    tag,
    auth,
    scope: 'org',
    params: Type.Object({ ...ofDeployment.properties, account_id: Uuid }),
    body: LabAccountAllowlist,
    response: LabAccountAnswer,
    summary: 'Choose the teams that may use a lab account',
    description:
      'The list replaces the one before. An empty list opens the account to all teams of the organisation. Orders ' +
      'that are under way keep their account. An account that is open to everybody cannot be changed.',
    refusals: ['not_found'],
    handle: async (ctx, { params: { account_id }, body: { team_id_allowlist } }) => ({
      lab_account: await setAllowlist(ctx, account_id, team_id_allowlist),
    }),
  }),
];
