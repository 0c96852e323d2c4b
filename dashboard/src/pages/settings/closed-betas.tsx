import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useIsOperator, useTeamPath } from '../../api/session.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/states.tsx';
import { inWords, StatusBadge } from '../../parts/status-badge.tsx';

const PATH = '/v1/org/{org_id}/team/{team_id}/closed_beta';
type Path = { org_id: string; team_id: string };
const read = (path: Path) => unwrap(phial.GET(PATH, { params: { path } }));
type Beta = Awaited<ReturnType<typeof read>>['data'][number];

const NAMES = {
  continuous_queries: 'Continuous queries',
  etl_pipelines: 'Pipelines to brokers and EHRs',
  lab_report_parser: 'Reading of lab reports',
};

/** A beta that is newer than this page has its own name. */
const inWordsOf = (name: string): string =>
  Object.hasOwn(NAMES, name) ? NAMES[name as keyof typeof NAMES] : inWords(name);

/** The features that the operator opens team by team. */
export function ClosedBetas() {
  const { org_id, team_id, environment } = useTeamPath();
  const path = { org_id, team_id };
  const isOperator = useIsOperator();
  const list = useQuery({ queryKey: ['closed_betas', team_id], queryFn: () => read(path) });
  return (
    <Section title="Closed betas">
      <Stack>
        <Text c="dimmed">
          {environment === 'sandbox'
            ? 'In a sandbox every beta is open to every team.'
            : 'The operator of this service opens them to a team.'}
        </Text>
        <Loaded query={list}>
          {({ data }) => (
            <DataTable
              caption="Closed betas"
              columns={isOperator && environment !== 'sandbox' ? [...COLUMNS, actionAt(path)] : COLUMNS}
              rows={data}
              keyOf={({ name }) => name}
            />
          )}
        </Loaded>
      </Stack>
    </Section>
  );
}

const COLUMNS: Column<Beta>[] = [
  { label: 'Feature', isHeader: true, render: ({ name }) => inWordsOf(name) },
  {
    label: 'State',
    render: ({ is_open }) => <StatusBadge tone={is_open ? 'good' : 'quiet'}>{is_open ? 'Open' : 'Closed'}</StatusBadge>,
  },
];

/** The column with which the operator opens and closes betas. */
const actionAt = (path: Path): Column<Beta> => ({
  label: 'Action',
  align: 'right',
  render: ({ name, is_open }) => (
    <ConfirmButton
      action={is_open ? 'Close' : 'Open'}
      question={`${is_open ? 'Close' : 'Open'} “${inWordsOf(name)}”?`}
      onConfirm={async () => {
        const body = { is_open: !is_open };
        await unwrap(
          phial.PUT(`${PATH}/{beta}`, { params: { path: { ...path, beta: name as keyof typeof NAMES } }, body }),
        );
        await readAgain('closed_betas');
      }}
    >
      {is_open
        ? 'Its operations are refused to this team. What the team made with it stays.'
        : 'The keys of this team can call its operations from now on.'}
    </ConfirmButton>
  ),
});
