import { Anchor, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useTeamPath } from '../../api/session.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { oneOf, text, useFilters } from '../../parts/filters.ts';
import { FormModal } from '../../parts/form-modal.tsx';
import { useLaboratoryName } from '../../parts/laboratories.ts';
import { LaboratorySelect } from '../../parts/laboratory-select.tsx';
import { OrderStatus } from '../../parts/order-status.tsx';
import { Pager, useCursor } from '../../parts/pager.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { refusalInWords, refusalTodo } from '../../parts/refusals.ts';
import { Empty, Loaded } from '../../parts/states.tsx';
import { StatusBadge, type Tone } from '../../parts/status-badge.tsx';
import { Ago } from '../../parts/time.tsx';

const STATES = ['refused', 'waiting', 'held', 'committed', 'accepted', 'withdrawn', 'given_up'] as const;
type State = (typeof STATES)[number];

const SHOWN: Record<State, [Tone, string]> = {
  refused: ['bad', 'Refused'],
  waiting: ['active', 'Waits to be sent'],
  held: ['warning', 'Held'],
  committed: ['active', 'Stored, not answered'],
  accepted: ['good', 'Accepted'],
  withdrawn: ['quiet', 'Withdrawn'],
  given_up: ['quiet', 'Given up'],
};

const FILTERS = { state: oneOf(...STATES), lab: text(100) };

const read = (
  path: ReturnType<typeof useTeamPath>,
  filters: { state: string; lab?: string },
  cursor: string | undefined,
) => ({
  queryKey: ['laboratory_outbox', path.team_id, filters, cursor],
  queryFn: () =>
    unwrap(
      phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/laboratory_outbox', {
        params: { path, query: { ...filters, limit: 50, ...(cursor && { next_cursor: cursor }) } },
      }),
    ),
});

type Entry = Awaited<ReturnType<ReturnType<typeof read>['queryFn']>>['data'][number];

/** The messages to laboratories in one state. Without a filter: those that a laboratory refused. */
export function Outgoing() {
  const [{ state = 'refused', lab }, change] = useFilters(FILTERS);
  const query = useQuery(read(useTeamPath(), { state, ...(lab && { lab }) }, useCursor()));
  const nameOf = useLaboratoryName();
  return (
    <Stack gap="lg">
      <Group align="flex-end" gap="sm" role="search" aria-label="Filters of outgoing orders">
        <Select
          label="State"
          w={{ base: 'calc(50% - 6px)', xs: 200 }}
          allowDeselect={false}
          data={STATES.map((value) => ({ value, label: SHOWN[value][1] }))}
          value={state}
          onChange={(value) => change({ state: value === 'refused' ? null : value })}
        />
        <LaboratorySelect value={lab} change={(slug) => change({ lab: slug })} />
      </Group>
      <Loaded query={query}>
        {({ data, next_cursor }) =>
          data.length === 0 ? (
            <Empty title={state === 'refused' ? 'No message was refused' : 'No message is in this state'}>
              {state === 'refused'
                ? 'A message waits here if its laboratory refuses it. Other states show what is under way.'
                : 'Choose another state or laboratory.'}
            </Empty>
          ) : (
            <>
              <DataTable
                caption="Messages to laboratories"
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

const columnsWith = (nameOf: (slug: string) => string): Column<Entry>[] => [
  {
    label: 'Order',
    isHeader: true,
    render: ({ order_id, action }) => (
      <Anchor component={Link} to={`/orders/${order_id}`} fw={600}>
        {action === 'new' ? 'Order' : 'Cancellation of'}{' '}
        <span style={{ whiteSpace: 'nowrap' }}>…{order_id.slice(-8)}</span>
      </Anchor>
    ),
  },
  { label: 'Laboratory', render: ({ lab }) => nameOf(lab) },
  { label: 'State', render: (entry) => <Why entry={entry} /> },
  {
    label: 'Order’s status',
    render: ({ order_status }) => (order_status === null ? '–' : <OrderStatus status={order_status} />),
  },
  { label: 'Attempts', align: 'right', render: ({ attempts }) => attempts },
  { label: 'Since', render: ({ created_at }) => <Ago at={created_at} /> },
  { label: 'Actions', render: (entry) => <Actions entry={entry} /> },
];

function Why({ entry: { state, reason, held_by, is_lab_held } }: { entry: Entry }) {
  const [tone, words] = SHOWN[state];
  const todo = state === 'refused' && reason !== null ? refusalTodo(reason) : null;
  return (
    <Stack gap={4} align="flex-start">
      <StatusBadge tone={tone}>{words}</StatusBadge>
      {reason !== null && <Text size="sm">{refusalInWords(reason)}</Text>}
      {todo !== null && (
        <Text size="sm" c="dimmed">
          {todo}
        </Text>
      )}
      {held_by !== null && (
        <Text size="sm" c="dimmed">
          {held_by === 'operator' ? 'By the operator' : 'By your organisation'}
        </Text>
      )}
      {is_lab_held && (
        <Text size="sm" c="dimmed">
          The operator holds everything to this laboratory
        </Text>
      )}
    </Stack>
  );
}

const ACTIONS = {
  resend: ['Send again', '/v1/org/{org_id}/team/{team_id}/{environment}/laboratory_outbox/{outbox_id}/resend'],
  give_up: ['Give up', '/v1/org/{org_id}/team/{team_id}/{environment}/laboratory_outbox/{outbox_id}/give_up'],
  hold: ['Hold', '/v1/org/{org_id}/team/{team_id}/{environment}/laboratory_outbox/{outbox_id}/hold'],
  release: ['Release', '/v1/org/{org_id}/team/{team_id}/{environment}/laboratory_outbox/{outbox_id}/release'],
} as const;
type Action = keyof typeof ACTIONS;

/** What can be done in this state. What the operator holds only the operator releases. */
function actionsOf({ state, held_by }: Entry): Action[] {
  if (state === 'refused') return ['resend', 'give_up'];
  if (state === 'committed') return ['give_up'];
  if (state === 'waiting') return ['hold'];
  return state === 'held' && held_by === 'organisation' ? ['release'] : [];
}

function Actions({ entry }: { entry: Entry }) {
  const [isAsking, setAsking] = useState(false);
  const path = useTeamPath();
  const act = useMutation({
    mutationFn: (action: Action) =>
      unwrap(phial.POST(ACTIONS[action][1], { params: { path: { ...path, outbox_id: entry.id } } })),
    onSuccess: async () => {
      setAsking(false);
      await readAgain('laboratory_outbox', 'order', 'orders', 'order_counts');
    },
  });
  const possible = actionsOf(entry);
  if (possible.length === 0) return '–';
  return (
    <Stack gap={4} align="flex-start">
      <Group gap="xs">
        {possible.map((action) => (
          <Button
            key={action}
            size="xs"
            variant="default"
            loading={act.isPending && act.variables === action}
            onClick={() => (action === 'give_up' ? setAsking(true) : act.mutate(action))}
          >
            {ACTIONS[action][0]}
          </Button>
        ))}
      </Group>
      {!isAsking && <Refusal error={act.error} />}
      <FormModal
        isOpen={isAsking}
        close={() => setAsking(false)}
        title="Give up this message?"
        action="Give up"
        isFinal
        run={{ ...act, mutate: () => act.mutate('give_up') }}
      >
        <Text>
          {entry.action === 'new'
            ? 'Its tests fail. The order goes on with its other tests, or ends. This cannot be taken back.'
            : 'The cancellation is not sent again. This cannot be taken back.'}
        </Text>
      </FormModal>
    </Stack>
  );
}
