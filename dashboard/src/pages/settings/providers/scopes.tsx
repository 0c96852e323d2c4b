import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../../../api/client.ts';
import { readAgain } from '../../../api/queries.ts';
import { useTeamPath } from '../../../api/session.tsx';
import { ConfirmButton } from '../../../parts/confirm-button.tsx';
import { DataTable } from '../../../parts/data-table.tsx';
import { Section } from '../../../parts/section.tsx';
import { Loaded } from '../../../parts/states.tsx';
import { useProviderName } from './names.ts';

const PATH = '/v1/org/{org_id}/team/{team_id}/scope_requirements';

/** What users are asked to allow at a provider, where the team has chosen that. */
export function Scopes() {
  const { org_id, team_id } = useTeamPath();
  const path = { org_id, team_id };
  const nameOf = useProviderName();
  const list = useQuery({
    queryKey: ['scope_requirements', team_id],
    queryFn: () => unwrap(phial.GET(PATH, { params: { path } })),
  });
  const reset = async (provider: string): Promise<void> => {
    const body = { [provider]: { user_must_grant: [], user_may_grant: [] } };
    await unwrap(phial.POST(PATH, { params: { path }, body }));
    await readAgain('scope_requirements');
  };
  return (
    <Section title="What users allow">
      <Stack>
        <Text c="dimmed">
          Users are asked for every scope that brings data. POST …/scope_requirements chooses others.
        </Text>
        <Loaded query={list}>
          {({ requirements }) =>
            requirements.length === 0 ? (
              <Text>The team has chosen no scopes.</Text>
            ) : (
              <DataTable
                caption="Scopes that the team has chosen"
                rows={requirements}
                keyOf={({ provider }) => provider}
                columns={[
                  { label: 'Provider', render: ({ provider }) => nameOf(provider), isHeader: true },
                  { label: 'Must allow', render: ({ user_must_grant }) => user_must_grant.join(', ') || '–' },
                  { label: 'May allow', render: ({ user_may_grant }) => user_may_grant.join(', ') || '–' },
                  {
                    label: 'Action',
                    align: 'right',
                    render: ({ provider }) => (
                      <ConfirmButton
                        action="Reset"
                        question={`Reset the scopes of ${nameOf(provider)}?`}
                        onConfirm={() => reset(provider)}
                      >
                        New connections then ask for every scope that brings data.
                      </ConfirmButton>
                    ),
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Stack>
    </Section>
  );
}
