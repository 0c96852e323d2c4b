import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { useTeamPath } from '../../api/session.tsx';
import { ChoiceFilter } from '../../parts/choice-filter.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { oneOf, text, useFilters } from '../../parts/filters.ts';
import { LaboratorySelect } from '../../parts/laboratory-select.tsx';
import { Interpretation } from '../../parts/order-status.tsx';
import { Pager, useCursor } from '../../parts/pager.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { inWords, StatusBadge, type Tone } from '../../parts/status-badge.tsx';
import { Ago } from '../../parts/time.tsx';
import { DecideUnmatched } from './decide-unmatched.tsx';

const STATES = ['pending_customer_review', 'pending_ops_review', 'resolved', 'matched'] as const;

const SHOWN: Record<(typeof STATES)[number], [Tone, string]> = {
  pending_customer_review: ['warning', 'Waits for you'],
  pending_ops_review: ['active', 'Waits for the operator'],
  resolved: ['quiet', 'Decided'],
  matched: ['good', 'Matched'],
};

const FILTERS = { state: oneOf(...STATES), lab: text(100) };

const read = (
  path: ReturnType<typeof useTeamPath>,
  filters: { status?: string; lab_slug?: string },
  cursor: string | undefined,
) => ({
  queryKey: ['unmatched_results', path.team_id, filters, cursor],
  queryFn: () =>
    unwrap(
      phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/unmatched_result', {
        params: { path, query: { ...filters, limit: 50, ...(cursor && { next_cursor: cursor }) } },
      }),
    ),
});

type Result = Awaited<ReturnType<ReturnType<typeof read>['queryFn']>>['data'][number];

/** Results that came without a number that names an order. The list shows nobody's name. */
export function Unmatched() {
  const [{ state, lab }, change] = useFilters(FILTERS);
  const query = useQuery(
    read(useTeamPath(), { ...(state && { status: state }), ...(lab && { lab_slug: lab }) }, useCursor()),
  );
  const [opened, setOpened] = useState<string | null>(null);
  return (
    <Stack gap="lg">
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
              <DataTable
                caption="Unmatched results"
                columns={columnsWith(setOpened)}
                rows={data}
                keyOf={({ id }) => id}
              />
              <Pager nextCursor={next_cursor} />
            </>
          )
        }
      </Loaded>
      {opened !== null && <DecideUnmatched id={opened} close={() => setOpened(null)} />}
    </Stack>
  );
}

const columnsWith = (open: (id: string) => void): Column<Result>[] => [
  {
    label: 'Result',
    isHeader: true,
    render: ({ markers }) => {
      const names = markers.map(({ name, provider_id }) => name ?? provider_id ?? 'Without a name');
      const more = names.length - 3;
      return names.length === 0 ? 'No value' : names.slice(0, 3).join(', ') + (more > 0 ? ` and ${more} more` : '');
    },
  },
  { label: 'Laboratory', render: ({ lab }) => lab.name },
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
