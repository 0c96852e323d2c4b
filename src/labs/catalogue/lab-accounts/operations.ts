import { Type, type Static } from 'typebox';
import type { ManagementCtx } from '../../../context.ts';
import { operation } from '../../../operation/operation.ts';
import { ofDeployment } from '../../../tenancy/team-paths.ts';
import { Uuid } from '../../../wire/schema.ts';
import { addLabAccount } from './add.ts';
import { listManagedLabAccounts } from './list-managed.ts';
import {
  LabAccountAllowlist,
  LabAccountAnswer,
  LabAccountInput,
  LabAccountStatusInput,
  ManagedLabAccountQuery,
  ManagedLabAccounts,
} from './schemas.ts';
import { setAllowlist } from './set-allowlist.ts';
import { setLabAccountStatus } from './set-status.ts';

const tag = 'management';
const auth = 'management_key';
const collection = '/v1/org/{org_id}/lab_account/{env}/{region}';

const findManaged = async (ctx: ManagementCtx, id: string): Promise<Static<typeof LabAccountAnswer>['lab_account']> =>
  (await listManagedLabAccounts(ctx, { lab_account_id: id }))[0] ?? null;

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
  operation({
    id: 'create_org_lab_account',
    method: 'POST',
    path: collection,
    tag,
    auth,
    scope: 'org',
    operatorOnly: true,
    params: ofDeployment,
    body: LabAccountInput,
    response: LabAccountAnswer,
    summary: 'Add a lab account of an organisation, as the operator',
    refusals: ['not_found', 'lab_account_taken'],
    handle: async (ctx, { body }) => {
      const { account_name = null, default_clinical_notes = null, business_units = null } = body;
      const optional = { account_name, default_clinical_notes, business_units };
      const id = await addLabAccount(ctx, { ...body, ...optional, org_id: ctx.org.id });
      return { lab_account: await findManaged(ctx, id) };
    },
  }),
  operation({
    id: 'put_org_lab_account_status',
    method: 'PUT',
    path: `${collection}/{account_id}/status`,
    tag,
    auth,
    scope: 'org',
    operatorOnly: true,
    params: Type.Object({ ...ofDeployment.properties, account_id: Uuid }),
    body: LabAccountStatusInput,
    response: LabAccountAnswer,
    summary: 'Set whether orders can use a lab account, as the operator',
    description: 'Orders that are under way keep their account.',
    refusals: ['not_found'],
    handle: async (ctx, { params: { account_id }, body: { status } }) => {
      await setLabAccountStatus(ctx, { org_id: ctx.org.id, lab_account_id: account_id, status });
      return { lab_account: await findManaged(ctx, account_id) };
    },
  }),
];
