import { phial, unwrap } from '../../../api/client.ts';
import { useSession } from '../../../api/session.tsx';

export const ACCOUNTS_PATH = '/v1/org/{org_id}/lab_account/{env}/{region}';

/** The parameters of the paths that begin with ACCOUNTS_PATH. */
export function useAccountsPath() {
  const { org, environment, region } = useSession();
  return { org_id: org.id, env: environment, region: region as 'us' | 'eu' };
}

const read = (path: ReturnType<typeof useAccountsPath>) => unwrap(phial.GET(ACCOUNTS_PATH, { params: { path } }));

/** An account with all teams that may use it. */
export type OrgAccount = Awaited<ReturnType<typeof read>>['data'][number];

export const orgAccountsQuery = (path: ReturnType<typeof useAccountsPath>) => ({
  queryKey: ['org_lab_accounts', path.org_id],
  queryFn: () => read(path),
});

export const ACCOUNT_STATUSES = ['active', 'pending', 'suspended', 'ready_to_launch'] as const;
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];
