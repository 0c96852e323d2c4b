import { Anchor, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { phial, unwrap } from '../../api/client.ts';
import { useTeamPath } from '../../api/session.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { FactList } from '../../parts/fact-list.tsx';
import { useLaboratories, useLaboratoryName } from '../../parts/laboratories.ts';
import { methodInWords } from '../../parts/order-status.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { inWords, StatusBadge, type Tone } from '../../parts/status-badge.tsx';

const readAccounts = () => unwrap(phial.GET('/v3/lab_test/lab_account'));
type Account = Awaited<ReturnType<typeof readAccounts>>['data'][number];

/** The laboratories of the service, and the accounts at them that the team may use. */
export function Adapters() {
  const laboratories = useLaboratories();
  return (
    <Stack gap="lg">
      <Loaded query={laboratories}>
        {(labs) =>
          labs.length === 0 ? (
            <Empty title="No laboratory is connected">
              The operator of the service connects laboratories. Ask for yours.
            </Empty>
          ) : (
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
              {labs.map(({ id, slug, name, first_line_address, city, zipcode, collection_methods, sample_types }) => (
                <Section key={id} title={name}>
                  <Stack gap="sm">
                    <FactList
                      facts={[
                        ['Address', `${first_line_address}, ${zipcode} ${city}`],
                        ['Collection', collection_methods.map(methodInWords).join(', ')],
                        ['Samples', sample_types.map(inWords).join(', ')],
                      ]}
                    />
                    <Anchor component={Link} to="/catalogue" search={{ lab: slug } as never}>
                      Tests of {name}
                    </Anchor>
                  </Stack>
                </Section>
              ))}
            </SimpleGrid>
          )
        }
      </Loaded>
      <Section title="Accounts at laboratories">
        <Accounts />
      </Section>
    </Stack>
  );
}

function Accounts() {
  const { team_id } = useTeamPath();
  const query = useQuery({ queryKey: ['lab_accounts', team_id], queryFn: readAccounts });
  const nameOf = useLaboratoryName();
  return (
    <Loaded query={query}>
      {({ data }) =>
        data.length === 0 ? (
          <Text c="dimmed">
            Your team has no account of its own. Orders use the account of the service. To use yours, give its number to
            the operator.
          </Text>
        ) : (
          <DataTable caption="Accounts" columns={columnsWith(nameOf)} rows={data} keyOf={({ id }) => id} />
        )
      }
    </Loaded>
  );
}

const TONES: Record<string, Tone> = { active: 'good', pending: 'warning', ready_to_launch: 'active', suspended: 'bad' };

const columnsWith = (nameOf: (slug: string) => string): Column<Account>[] => [
  {
    label: 'Account',
    isHeader: true,
    render: ({ account_name, provider_account_id }) => account_name ?? provider_account_id,
  },
  { label: 'Laboratory', render: ({ lab }) => nameOf(lab) },
  { label: 'Number', render: ({ provider_account_id }) => <code>{provider_account_id}</code> },
  {
    label: 'Status',
    render: ({ status }) => <StatusBadge tone={TONES[status] ?? 'quiet'}>{inWords(status)}</StatusBadge>,
  },
  { label: 'Physicians', render: ({ delegated_flow }) => inWords(delegated_flow) },
  { label: 'Open to', render: ({ org_id }) => (org_id === null ? 'Everybody' : 'Your organisation') },
];
