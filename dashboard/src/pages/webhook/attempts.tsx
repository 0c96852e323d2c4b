import { Button, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useTeamPath } from '../../api/session.tsx';
import { AttemptStatus, ShownAttempt, type AttemptSummary } from '../../parts/attempt.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { oneOf, useFilters } from '../../parts/filters.ts';
import { Pager, useCursor } from '../../parts/pager.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import type { Endpoint } from './endpoint-query.ts';

const FILTERS = { status: oneOf('succeeded', 'failed', 'exhausted') };

/** The attempts to send to the endpoint, the newest first. */
export function Attempts({ endpoint }: { endpoint: Endpoint }) {
  const path = useTeamPath();
  const [{ status }, change] = useFilters(FILTERS);
  const cursor = useCursor();
  const [opened, setOpened] = useState<AttemptSummary | null>(null);
  const query = useQuery({
    queryKey: ['attempts', path.team_id, endpoint.id, status, cursor],
    queryFn: () =>
      unwrap(
        phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}/attempt', {
          params: {
            path: { ...path, webhook_id: endpoint.id },
            query: { limit: 20, ...(status && { status: [status] }), ...(cursor && { next_cursor: cursor }) },
          },
        }),
      ),
    refetchInterval: 15_000,
  });
  useEffect(() => {
    // Figures of another moment would contradict the list beneath them.
    if (query.dataUpdatedAt > 0) void readAgain('endpoint_figures');
  }, [query.dataUpdatedAt]);
  const columns: Column<AttemptSummary>[] = [
    {
      label: 'Event',
      isHeader: true,
      render: (attempt) => (
        <Button variant="transparent" px={0} onClick={() => setOpened(attempt)}>
          {attempt.event_type}
        </Button>
      ),
    },
    ...COLUMNS,
  ];
  return (
    <Section
      title="Deliveries"
      actions={
        <Select
          aria-label="Which attempts"
          placeholder="All attempts"
          clearable
          data={[
            { value: 'failed', label: 'Failed, is repeated' },
            { value: 'exhausted', label: 'Failed, given up' },
            { value: 'succeeded', label: 'Succeeded' },
          ]}
          value={status ?? null}
          onChange={(value) => change({ status: value })}
        />
      }
    >
      <Loaded query={query}>
        {({ data, next_cursor }) =>
          data.length === 0 ? (
            <Empty title="No attempt to show">
              {status ? 'No attempt had this outcome.' : 'Send a test to see one, or wait for the next event.'}
            </Empty>
          ) : (
            <Stack gap="md">
              <DataTable caption="Attempts" columns={columns} rows={data} keyOf={({ id }) => id} />
              <Pager nextCursor={next_cursor} />
            </Stack>
          )
        }
      </Loaded>
      {opened && <ShownAttempt attempt={opened} close={() => setOpened(null)} />}
    </Section>
  );
}

const COLUMNS: Column<AttemptSummary>[] = [
  { label: 'Outcome', render: (attempt) => <AttemptStatus attempt={attempt} /> },
  {
    label: 'Attempt',
    render: ({ attempt, trigger, next_attempt_at }) => (
      <>
        {attempt}
        {trigger !== 'schedule' && ` (${trigger})`}
        {next_attempt_at !== null && (
          <Text size="sm" c="dimmed">
            next <Ago at={next_attempt_at} isDue />
          </Text>
        )}
      </>
    ),
  },
  { label: 'Took', align: 'right', render: ({ duration_ms }) => `${duration_ms} ms` },
  { label: 'When', render: ({ created_at }) => <Ago at={created_at} /> },
];
