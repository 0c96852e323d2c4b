import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useIsOperator, useSession } from '../../../api/session.tsx';
import { DataTable, type Column } from '../../../parts/data-table.tsx';
import { useLaboratoryName } from '../../../parts/laboratories.ts';
import { Section } from '../../../parts/section.tsx';
import { Loaded } from '../../../parts/states.tsx';
import { inWords, StatusBadge } from '../../../parts/status-badge.tsx';
import { AddAccount } from './add-account.tsx';
import { ChangeAccount } from './change-account.tsx';
import { orgAccountsQuery, useAccountsPath, type OrgAccount } from './org-accounts-query.ts';

/** The accounts of the organisation, whichever team may use them. The operator adds them. */
export function OrgAccounts() {
  const isOperator = useIsOperator();
  const list = useQuery(orgAccountsQuery(useAccountsPath()));
  const [edited, setEdited] = useState<OrgAccount | 'new' | null>(null);
  const columns = useColumns(setEdited);
  const close = (): void => setEdited(null);
  return (
    <Section
      title="Accounts of the organisation"
      actions={isOperator && <Button onClick={() => setEdited('new')}>Add an account</Button>}
    >
      <Stack>
        <Text c="dimmed">
          An account belongs to the organisation and can be limited to some of its teams.
          {!isOperator && ' The operator of this service adds accounts.'}
        </Text>
        {edited === 'new' && <AddAccount close={close} />}
        {edited !== null && edited !== 'new' && <ChangeAccount account={edited} close={close} />}
        <Loaded query={list}>
          {({ data }) => {
            const own = data.filter(({ org_id }) => org_id !== null);
            return own.length === 0 ? (
              <Text>The organisation has none.</Text>
            ) : (
              <DataTable caption="Accounts of the organisation" columns={columns} rows={own} keyOf={({ id }) => id} />
            );
          }}
        </Loaded>
      </Stack>
    </Section>
  );
}

function useColumns(edit: (account: OrgAccount) => void): Column<OrgAccount>[] {
  const { teams } = useSession();
  const nameOf = useLaboratoryName();
  const teamName = (id: string): string => teams.find((team) => team.id === id)?.name ?? `…${id.slice(-8)}`;
  return [
    { label: 'Account', isHeader: true, render: nameOfAccount },
    { label: 'Laboratory', render: ({ lab }) => nameOf(lab) },
    { label: 'Number', render: ({ provider_account_id }) => provider_account_id },
    {
      label: 'Teams',
      render: ({ team_id_allowlist }) =>
        team_id_allowlist.length === 0 ? 'All teams' : team_id_allowlist.map(teamName).join(', '),
    },
    {
      label: 'Status',
      render: ({ status }) => (
        <StatusBadge tone={status === 'active' ? 'good' : 'warning'}>{inWords(status)}</StatusBadge>
      ),
    },
    {
      label: 'Action',
      align: 'right',
      render: (account) => (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => edit(account)}
          aria-label={`Change the account ${nameOfAccount(account)}`}
        >
          Change
        </Button>
      ),
    },
  ];
}

const nameOfAccount = ({ account_name, provider_account_id }: OrgAccount): string =>
  account_name ?? provider_account_id;
