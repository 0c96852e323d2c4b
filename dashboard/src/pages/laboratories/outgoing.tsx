import { Anchor, Box, Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { useTeamPath } from '../../api/session.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { oneOf, text, useFilters } from '../../parts/filters.ts';
import { useLaboratoryName } from '../../parts/laboratories.ts';
import { LaboratorySelect } from '../../parts/laboratory-select.tsx';
import { OrderStatus } from '../../parts/order-status.tsx';
import { Pager, useCursor } from '../../parts/pager.tsx';
import { fullName, usePeople } from '../../parts/people.tsx';
import { refusalInWords, refusalTodo } from '../../parts/refusals.ts';
import { Empty, Loaded } from '../../parts/states.tsx';
import { StatusBadge, type Tone } from '../../parts/status-badge.tsx';
import { Ago } from '../../parts/time.tsx';
import { OutgoingActions } from './outgoing-actions.tsx';
import { SentAgain } from './sent-again.tsx';

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

/** What is not done is no state of its own. */
const CHOICES = ['open', ...STATES] as const;
const choiceInWords = (choice: (typeof CHOICES)[number]): string => (choice === 'open' ? 'Not done' : SHOWN[choice][1]);

const FILTERS = { state: oneOf(...CHOICES), lab: text(100) };

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

export type Entry = Awaited<ReturnType<ReturnType<typeof read>['queryFn']>>['data'][number];

/** The messages to laboratories in one state. Without a filter: all that are not done. */
export function Outgoing() {
  const [{ state = 'open', lab }, change] = useFilters(FILTERS);
  const [sent, setSent] = useState<Entry | null>(null);
  const query = useQuery(read(useTeamPath(), { state, ...(lab && { lab }) }, useCursor()));
  const nameOf = useLaboratoryName();
  const { data: people } = usePeople((query.data?.data ?? []).map(({ user_id }) => user_id));
  return (
    <Stack gap="lg">
      <div>
        {/* Always there, so that a screen reader hears what is written into it. */}
        <Box role="status" mb={sent ? 'lg' : 0}>
          {sent && <SentAgain key={sent.id} entry={sent} close={() => setSent(null)} />}
        </Box>
        <Group align="flex-end" gap="sm" role="search" aria-label="Filters of outgoing orders">
          <Select
            label="State"
            w={{ base: 'calc(50% - 6px)', xs: 200 }}
            allowDeselect={false}
            data={CHOICES.map((value) => ({ value, label: choiceInWords(value) }))}
            value={state}
            onChange={(value) => change({ state: value === 'open' ? null : value })}
          />
          <LaboratorySelect value={lab} change={(slug) => change({ lab: slug })} />
        </Group>
      </div>
      <Loaded query={query}>
        {({ data, next_cursor }) =>
          data.length === 0 ? (
            <Empty title={state === 'open' ? 'Every message is done' : 'No message is in this state'}>
              {state === 'open'
                ? 'A message stays here until its laboratory accepts it. Other states show what was done.'
                : 'Choose another state or laboratory.'}
            </Empty>
          ) : (
            <>
              <DataTable
                caption="Messages to laboratories"
                columns={columnsWith({ nameOf, people, noteSent: setSent })}
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

type Shown = {
  nameOf: (slug: string) => string;
  people: Awaited<ReturnType<typeof usePeople>>['data'];
  noteSent: (entry: Entry) => void;
};

const columnsWith = ({ nameOf, people, noteSent }: Shown): Column<Entry>[] => [
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
  {
    label: 'User',
    render: ({ user_id }) => {
      const person = people?.get(user_id);
      return (
        <Anchor component={Link} to={`/users/${user_id}`}>
          {(person && fullName(person)) ?? `…${user_id.slice(-8)}`}
        </Anchor>
      );
    },
  },
  { label: 'Laboratory', render: ({ lab }) => nameOf(lab) },
  { label: 'State', render: (entry) => <Why entry={entry} /> },
  {
    label: 'Order’s status',
    render: ({ order_status }) => (order_status === null ? '–' : <OrderStatus status={order_status} />),
  },
  { label: 'Attempts', align: 'right', render: ({ attempts }) => attempts },
  { label: 'Since', render: ({ created_at }) => <Ago at={created_at} /> },
  { label: 'Actions', render: (entry) => <OutgoingActions entry={entry} noteSent={noteSent} /> },
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
