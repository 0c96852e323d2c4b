import { Anchor, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { phial, unwrap } from '../../api/client.ts';
import { useTeamPath } from '../../api/session.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { oneOf, text, useFilters } from '../../parts/filters.ts';
import { useLaboratoryName } from '../../parts/laboratories.ts';
import { LaboratorySelect } from '../../parts/laboratory-select.tsx';
import { REASON_CODES, reasonInWords, todoFor } from '../../parts/message-reasons.ts';
import { MESSAGE_STATES, messageStateInWords, MessageStateBadge } from '../../parts/message-state.tsx';
import { Pager, useCursor } from '../../parts/pager.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';

const FILTERS = { state: oneOf(...MESSAGE_STATES), lab: text(100), reason: text(100) };
type Filters = { state?: string; lab?: string; reason?: string };

const read = (path: ReturnType<typeof useTeamPath>, filters: Filters, cursor: string | undefined) => ({
  queryKey: ['laboratory_messages', path.team_id, filters, cursor],
  queryFn: () =>
    unwrap(
      phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/laboratory_message', {
        params: { path, query: { ...filters, limit: 50, ...(cursor && { next_cursor: cursor }) } },
      }),
    ),
});

type Message = Awaited<ReturnType<ReturnType<typeof read>['queryFn']>>['data'][number];

/** The messages of laboratories in one state. Without a filter: those that somebody has to repair. */
export function Messages() {
  const [filters, change] = useFilters(FILTERS);
  const { state = 'failed', lab, reason } = filters;
  const query = useQuery(read(useTeamPath(), { state, ...(lab && { lab }), ...(reason && { reason }) }, useCursor()));
  const nameOf = useLaboratoryName();
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Stack gap="lg">
      <Group align="flex-end" gap="sm" role="search" aria-label="Filters of messages">
        <Select
          label="State"
          w={{ base: 'calc(50% - 6px)', xs: 180 }}
          allowDeselect={false}
          data={MESSAGE_STATES.map((value) => ({ value, label: messageStateInWords(value) }))}
          value={state}
          onChange={(value) => change({ state: value === 'failed' ? null : value })}
        />
        <LaboratorySelect value={lab} change={(slug) => change({ lab: slug })} />
        <Select
          label="Reason"
          placeholder="Any"
          clearable
          searchable
          w={{ base: '100%', xs: 280 }}
          data={[...new Set([...REASON_CODES, ...(reason ? [reason] : [])])].map((value) => ({
            value,
            label: reasonInWords(value),
          }))}
          value={reason ?? null}
          onChange={(value) => change({ reason: value })}
        />
      </Group>
      <Loaded query={query}>
        {({ data, next_cursor }) =>
          data.length === 0 ? (
            <NoMessages isFiltered={isFiltered} clear={() => change({ state: null, lab: null, reason: null })} />
          ) : (
            <>
              <DataTable
                caption="Messages of laboratories"
                columns={columnsWith(nameOf)}
                rows={data}
                keyOf={({ id }) => id}
              />
              <Pager nextCursor={next_cursor} />
            </>
          )
        }
      </Loaded>
    </Stack>
  );
}

function NoMessages({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) {
  return isFiltered ? (
    <Empty
      title="No message matches"
      action={
        <Button variant="default" onClick={clear}>
          Show all that wait
        </Button>
      }
    >
      Change or remove a filter.
    </Empty>
  ) : (
    <Empty title="No message waits to be repaired">
      Nothing has to be done. A message that cannot be read waits here until somebody mends it.
    </Empty>
  );
}

const columnsWith = (nameOf: (slug: string) => string): Column<Message>[] => [
  {
    label: 'Message',
    isHeader: true,
    render: ({ id, control_id, type }) => (
      <Anchor component={Link} to={`/laboratories/messages/${id}`} fw={600} style={{ overflowWrap: 'anywhere' }}>
        {control_id || 'Without an id'} ({type || 'of no type'})
      </Anchor>
    ),
  },
  { label: 'Laboratory', render: ({ lab }) => nameOf(lab) },
  { label: 'Reason', render: (message) => <Why message={message} /> },
  {
    label: 'State',
    render: ({ state, reason, is_partly_applied }) => (
      <Stack gap={4} align="flex-start">
        <MessageStateBadge state={state} reason={reason} />
        {is_partly_applied && (
          <Text size="sm" c="dimmed">
            The rest is applied
          </Text>
        )}
      </Stack>
    ),
  },
  {
    label: 'Order',
    render: ({ order_id }) =>
      order_id === null ? (
        'Not known'
      ) : (
        <Anchor component={Link} to={`/orders/${order_id}`} size="sm" style={{ whiteSpace: 'nowrap' }}>
          …{order_id.slice(-8)}
        </Anchor>
      ),
  },
  { label: 'Received', render: ({ received_at }) => <Ago at={received_at} /> },
];

function Why({ message: { reason, waits, state } }: { message: Message }) {
  if (reason === null) return '–';
  const codes = [...new Set(waits.flatMap((part) => part.codes))].slice(0, 5);
  const todo = state === 'failed' ? todoFor(reason) : null;
  return (
    <div>
      <Text size="sm">
        {reasonInWords(reason)}
        {codes.length > 0 && `: ${codes.join(', ')}`}
      </Text>
      {todo !== null && (
        <Text size="sm" c="dimmed">
          {todo}
        </Text>
      )}
    </div>
  );
}
