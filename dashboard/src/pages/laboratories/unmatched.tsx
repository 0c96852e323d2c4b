import { Alert, Anchor, Box, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { useTeamPath } from '../../api/session.tsx';
import { ChoiceFilter } from '../../parts/choice-filter.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { oneOf, text, useFilters } from '../../parts/filters.ts';
import { LaboratorySelect } from '../../parts/laboratory-select.tsx';
import { Interpretation } from '../../parts/order-status.tsx';
import { Pager, useCursor } from '../../parts/pager.tsx';
import { fullName } from '../../parts/people.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { inWords, StatusBadge, type Tone } from '../../parts/status-badge.tsx';
import { Ago, CalendarDate } from '../../parts/time.tsx';
import { DecideUnmatched } from './decide-unmatched.tsx';

const STATES = ['pending_customer_review', 'pending_ops_review', 'resolved', 'matched'] as const;

const SHOWN: Record<(typeof STATES)[number], [Tone, string]> = {
  pending_customer_review: ['warning', 'Waits for you'],
  pending_ops_review: ['active', 'Waits for the operator'],
  resolved: ['quiet', 'Decided'],
  matched: ['good', 'Matched'],
};

const FILTERS = { state: oneOf(...STATES), lab: text(100) };

const read = (team_id: string, filters: { status?: string; lab_slug?: string }, cursor: string | undefined) => ({
  queryKey: ['unmatched_results', team_id, filters, cursor],
  queryFn: () =>
    unwrap(
      phial.GET('/v3/unmatched_result', {
        params: { query: { ...filters, limit: 50, ...(cursor && { next_cursor: cursor }) } },
      }),
    ),
});

type Result = Awaited<ReturnType<ReturnType<typeof read>['queryFn']>>['data'][number];

/** Results that came without a number that names an order, with the people whom they name. */
export function Unmatched() {
  const [{ state, lab }, change] = useFilters(FILTERS);
  const query = useQuery(
    read(useTeamPath().team_id, { ...(state && { status: state }), ...(lab && { lab_slug: lab }) }, useCursor()),
  );
  const [opened, setOpened] = useState<string | null>(null);
  const [accepted, setAccepted] = useState<string | null>(null);
  const open = (id: string): void => {
    setAccepted(null);
    setOpened(id);
  };
  return (
    <Stack gap="lg">
      <div>
        {/* Always there, so that a screen reader hears what is written into it. */}
        <Box role="status" mb={accepted === null ? 0 : 'lg'}>
          {accepted !== null && <AcceptedFor id={accepted} close={() => setAccepted(null)} />}
        </Box>
        <Group align="flex-end" gap="sm" role="search" aria-label="Filters of unmatched results">
          <ChoiceFilter
            label="State"
            width={210}
            data={STATES.map((value) => ({ value, label: SHOWN[value][1] }))}
            value={state}
            change={(state) => change({ state })}
          />
          <LaboratorySelect value={lab} change={(slug) => change({ lab: slug })} />
        </Group>
      </div>
      <Loaded query={query}>
        {({ data, next_cursor }) =>
          data.length === 0 ? (
            <Empty title={state || lab ? 'No result matches' : 'Every result found its order'}>
              {state || lab
                ? 'Change or remove a filter.'
                : 'Nothing has to be done. A result that names no order waits here until somebody decides.'}
            </Empty>
          ) : (
            <>
              <DataTable caption="Unmatched results" columns={columnsWith(open)} rows={data} keyOf={({ id }) => id} />
              <Pager nextCursor={next_cursor} />
            </>
          )
        }
      </Loaded>
      {opened !== null && <DecideUnmatched id={opened} close={() => setOpened(null)} noteAccepted={setAccepted} />}
    </Stack>
  );
}

const AcceptedFor = ({ id, close }: { id: string; close: () => void }) => (
  <Alert withCloseButton closeButtonLabel="Close" onClose={close} title="The result is accepted">
    Order …{id.slice(-8)} has it now.{' '}
    <Anchor component={Link} to={`/orders/${id}`} underline="always">
      Open the order
    </Anchor>
  </Alert>
);

const columnsWith = (open: (id: string) => void): Column<Result>[] => [
  {
    label: 'Result',
    isHeader: true,
    render: ({ markers, lab }) => {
      const names = markers.map(({ name, provider_id }) => name ?? provider_id ?? 'Without a name');
      const more = names.length - 3;
      return (
        <>
          {names.length === 0 ? 'No value' : names.slice(0, 3).join(', ') + (more > 0 ? ` and ${more} more` : '')}
          <Text size="sm" c="dimmed" fw={400}>
            {lab.name}
          </Text>
        </>
      );
    },
  },
  {
    label: 'Person in the report',
    render: ({ patient }) => (
      <>
        {(patient && fullName(patient)) ?? 'Nobody is named'}
        {patient?.dob && (
          <Text size="sm" c="dimmed">
            born <CalendarDate date={patient.dob} />
          </Text>
        )}
      </>
    ),
  },
  { label: 'Why', render: ({ reason }) => reason },
  {
    label: 'Meaning',
    render: ({ interpretation }) => (interpretation === null ? '–' : <Interpretation value={interpretation} />),
  },
  {
    label: 'State',
    render: ({ status, decision }) => (
      <StatusBadge tone={SHOWN[status][0]}>{decision === null ? SHOWN[status][1] : inWords(decision)}</StatusBadge>
    ),
  },
  { label: 'Came', render: ({ created_at }) => <Ago at={created_at} /> },
  {
    label: 'Actions',
    render: ({ id, allowed_actions }) => (
      <Button size="xs" variant="default" onClick={() => open(id)}>
        {allowed_actions.length === 0 ? 'Look' : 'Decide'}
      </Button>
    ),
  },
];
