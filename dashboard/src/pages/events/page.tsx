import { Anchor, Button, Group, Select, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { useSession } from '../../api/session.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { useEventTypes } from '../../parts/endpoint-form.tsx';
import { oneOf, text, useFilters } from '../../parts/filters.ts';
import { Page } from '../../parts/page.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Empty, Failed } from '../../parts/states.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Ago } from '../../parts/time.tsx';
import { KEPT, useFeed, type FeedEvent } from './use-feed.ts';

/** How far back the page begins, in minutes. */
const BEGINNINGS = [
  { value: '0', label: 'Now' },
  { value: '10', label: '10 minutes ago' },
  { value: '60', label: 'An hour ago' },
  { value: '1440', label: 'A day ago' },
] as const;
const USUAL_BEGINNING = '60';

const FILTERS = { type: text(100), user: text(200), from: oneOf(...BEGINNINGS.map(({ value }) => value)) };

export default function Events() {
  const [{ type, user, from = USUAL_BEGINNING }] = useFilters(FILTERS);
  const [isPaused, setPaused] = useState(false);
  const [opened, setOpened] = useState<FeedEvent | null>(null);
  const { events, error, isLive } = useFeed({ type, minutesBack: Number(from), isPaused });
  const shown = useMemo(
    () => events.filter((event) => !user || event.user_id === user || event.client_user_id === user),
    [events, user],
  );
  const columns: Column<FeedEvent>[] = [
    {
      label: 'Event',
      isHeader: true,
      render: (event) => (
        <Button variant="transparent" px={0} onClick={() => setOpened(event)}>
          {event.event_type}
        </Button>
      ),
    },
    ...COLUMNS,
  ];
  return (
    <Page
      title="Events"
      about="What was published of late, and what is published now, as it happens. Webhooks send the same events."
      actions={
        <Group gap="sm">
          <State isPaused={isPaused} isLive={isLive} error={error} />
          <Button variant="default" onClick={() => setPaused(!isPaused)}>
            {isPaused ? 'Go on' : 'Pause'}
          </Button>
        </Group>
      }
    >
      <Filters />
      {error !== null && <Failed error={error} />}
      {shown.length === 0 ? (
        <Nothing isLive={isLive} isFiltered={Boolean(user || type)} user={user} />
      ) : (
        <>
          <Text size="sm" c="dimmed">
            The newest {KEPT} at most. A program reads all of them by GET /v2/events.
          </Text>
          <DataTable caption="Events" columns={columns} rows={shown} keyOf={({ id }) => id} />
        </>
      )}
      {opened && (
        <Drawer title={opened.event_type} close={() => setOpened(null)}>
          <Anchor component={Link} to={`/events/${opened.id}`}>
            All its deliveries
          </Anchor>
          <JsonView value={opened.body} label="Payload" />
        </Drawer>
      )}
    </Page>
  );
}

type NothingProps = { isLive: boolean; isFiltered: boolean; user: string | undefined };

function Nothing({ isLive, isFiltered, user }: NothingProps) {
  const isUnknown = useIsUnknown(user);
  if (isUnknown)
    return (
      <Empty
        title="No user has this id"
        action={
          <Button component={Link} to="/users" variant="default">
            Go to users
          </Button>
        }
      >
        The filter takes the whole id of a user, and no name. The page of users finds the id by a name.
      </Empty>
    );
  return (
    <Empty title={isLive ? 'No event yet' : 'Reading the events'}>
      {isFiltered
        ? 'Nothing that was published since then matches. Change or remove a filter, or begin further back.'
        : 'Order a test, or begin further back. Leave this page open: the next event appears here at once.'}
    </Empty>
  );
}

/** The most users that the search by ids returns. */
const MOST_FOUND = 100;

/** Whether no user of the team has the id. */
function useIsUnknown(user: string | undefined): boolean {
  const { team } = useSession();
  // Not each letter is a question.
  const [query_id = ''] = useDebouncedValue(user, 300);
  const { data } = useQuery({
    queryKey: ['users_search', 'of events', team?.id, query_id],
    queryFn: () => unwrap(phial.GET('/v2/team/users/search', { params: { query: { query_id } } })),
    enabled: query_id !== '',
  });
  // A list that is full may have left it out.
  if (data === undefined || data.length >= MOST_FOUND || query_id !== user) return false;
  return !data.some(({ user_id, client_user_id }) => [user_id, client_user_id].includes(query_id));
}

function State({ isPaused, isLive, error }: { isPaused: boolean; isLive: boolean; error: unknown }) {
  if (isPaused) return <StatusBadge tone="quiet">Paused</StatusBadge>;
  if (error) return <StatusBadge tone="bad">Not connected</StatusBadge>;
  return <StatusBadge tone={isLive ? 'good' : 'active'}>{isLive ? 'Live' : 'Reading'}</StatusBadge>;
}

function Filters() {
  const [{ type, user, from = USUAL_BEGINNING }, change] = useFilters(FILTERS);
  const { data: types } = useEventTypes();
  return (
    <Group align="flex-end" gap="sm" role="search" aria-label="Filters of events">
      <Select
        label="Kind"
        placeholder="All kinds"
        searchable
        clearable
        w={{ base: '100%', sm: 300 }}
        data={(types?.data ?? []).map(({ name }) => name)}
        value={type ?? null}
        onChange={(value) => change({ type: value })}
      />
      <TextInput
        label="User"
        placeholder="Id, or your own id"
        w={{ base: '100%', sm: 300 }}
        maxLength={200}
        value={user ?? ''}
        onChange={({ currentTarget }) => change({ user: currentTarget.value || null })}
      />
      <Select
        label="Since"
        allowDeselect={false}
        w={{ base: '100%', sm: 160 }}
        data={BEGINNINGS}
        value={from}
        onChange={(value) => change({ from: value === USUAL_BEGINNING ? null : value })}
      />
    </Group>
  );
}

const COLUMNS: Column<FeedEvent>[] = [
  {
    label: 'User',
    render: ({ user_id, client_user_id }) =>
      user_id === null ? (
        '–'
      ) : (
        <Anchor component={Link} to={`/users/${user_id}`}>
          {client_user_id ?? user_id}
        </Anchor>
      ),
  },
  { label: 'Origin', render: ({ origin }) => origin ?? '–' },
  { label: 'When', render: ({ created_at }) => <Ago at={created_at} /> },
];
