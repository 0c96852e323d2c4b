import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../../../api/client.ts';
import { useTeamPath } from '../../../api/session.tsx';
import { DataTable, type Column } from '../../../parts/data-table.tsx';
import { useLaboratoryName } from '../../../parts/laboratories.ts';
import { Section } from '../../../parts/section.tsx';
import { Loaded } from '../../../parts/states.tsx';
import { inWords, StatusBadge } from '../../../parts/status-badge.tsx';

const read = () => unwrap(phial.GET('/v3/lab_test/lab_account'));
type Account = Awaited<ReturnType<typeof read>>['data'][number];

/** The accounts at laboratories that orders of the team may use. */
export function Accounts() {
  const { team_id } = useTeamPath();
  const nameOf = useLaboratoryName();
  const list = useQuery({ queryKey: ['lab_accounts', team_id], queryFn: read });
  const columns: Column<Account>[] = [
    {
      label: 'Account',
      render: ({ account_name, provider_account_id }) => account_name ?? provider_account_id,
      isHeader: true,
    },
    { label: 'Laboratory', render: ({ lab }) => nameOf(lab) },
    { label: 'Number', render: ({ provider_account_id }) => provider_account_id },
    { label: 'Open to', render: openTo },
    { label: 'Pays', render: ({ allowed_billing }) => Object.keys(allowed_billing).map(inWords).join(', ') || '–' },
    {
      label: 'Status',
      render: ({ status }) => (
        <StatusBadge tone={status === 'active' ? 'good' : 'warning'}>{inWords(status)}</StatusBadge>
      ),
    },
  ];
  return (
    <Section title="Accounts at laboratories">
      <Stack>
        <Text c="dimmed">Orders of this team may use these. Only an active one is used.</Text>
        <Loaded query={list}>
          {({ data }) =>
            data.length === 0 ? (
              <Text>The team may use none. Ask the operator of this service to add one.</Text>
            ) : (
              <DataTable caption="Accounts at laboratories" columns={columns} rows={data} keyOf={({ id }) => id} />
            )
          }
        </Loaded>
      </Stack>
    </Section>
  );
}

function openTo({ org_id, team_id_allowlist }: Account): string {
  if (org_id === null) return 'Everybody';
  return team_id_allowlist.length === 0 ? 'All teams of the organisation' : 'Teams that were chosen';
}
