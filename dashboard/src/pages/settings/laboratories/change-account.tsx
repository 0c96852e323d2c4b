import { Select } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../../api/client.ts';
import { readAgain } from '../../../api/queries.ts';
import { useIsOperator } from '../../../api/session.tsx';
import { FormModal } from '../../../parts/form-modal.tsx';
import { inWords } from '../../../parts/status-badge.tsx';
import {
  ACCOUNT_STATUSES,
  ACCOUNTS_PATH,
  useAccountsPath,
  type AccountStatus,
  type OrgAccount,
} from './org-accounts-query.ts';
import { TeamChoice } from './team-choice.tsx';

type Props = { account: OrgAccount; close: () => void };

/** Administrators choose the teams of an account. Only the operator sets its status. */
export function ChangeAccount({ account, close }: Props) {
  const isOperator = useIsOperator();
  const params = { path: { ...useAccountsPath(), account_id: account.id } };
  const [status, setStatus] = useState(account.status as AccountStatus);
  const [teams, setTeams] = useState(account.team_id_allowlist);
  const run = useMutation({
    mutationFn: async (): Promise<void> => {
      if (teams !== account.team_id_allowlist)
        await unwrap(phial.PATCH(`${ACCOUNTS_PATH}/{account_id}`, { params, body: { team_id_allowlist: teams } }));
      if (status !== account.status)
        await unwrap(phial.PUT(`${ACCOUNTS_PATH}/{account_id}/status`, { params, body: { status } }));
      await readAgain('org_lab_accounts', 'lab_accounts');
      close();
    },
  });
  const name = account.account_name ?? account.provider_account_id;
  return (
    <FormModal close={close} title={`Change the account ${name}`} action="Save the account" run={run}>
      {isOperator && (
        <Select
          label="Status"
          description="Orders use an active account only. Those under way keep theirs."
          data={ACCOUNT_STATUSES.map((value) => ({ value, label: inWords(value) }))}
          value={status}
          onChange={(chosen) => setStatus(chosen as AccountStatus)}
          allowDeselect={false}
        />
      )}
      <TeamChoice value={teams} change={setTeams} />
    </FormModal>
  );
}
