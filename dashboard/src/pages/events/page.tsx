import { Anchor, Box, Button, Group, Select, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { useEventTypes } from '../../parts/endpoint-form.tsx';
import { id, oneOf, text, useFilters } from '../../parts/filters.ts';
import { Page } from '../../parts/page.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Empty, Failed } from '../../parts/states.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Ago } from '../../parts/time.tsx';
import { UserSelect } from '../../parts/user-select.tsx';
import { KEPT, useFeed, type FeedEvent } from './use-feed.ts';

/** How far back the page begins, in minutes. */
const BEGINNINGS = [
  { value: '0', label: 'Now' },
  { value: '10', label: '10 minutes ago' },
  { value: '60', label: 'An hour ago' },
  { value: '1440', label: 'A day ago' },
] as const;
const USUAL_BEGINNING = '60';

const FILTERS = { type: text(100), user: id, from: oneOf(...BEGINNINGS.map(({ value }) => value)) };

export default function Events() {
  const [{ type, user, from = USUAL_BEGINNING }] = useFilters(FILTERS);
  const [isPaused, setPaused] = useState(false);
  const [opened, setOpened] = useState<FeedEvent | null>(null);
  const { events: shown, error, isLive } = useFeed({ type, user, minutesBack: Number(from), isPaused });
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
        <Empty title={isLive ? 'No event yet' : 'Reading the events'}>
          {user || type
            ? 'Nothing that was published since then matches. Change or remove a filter, or begin further back.'
            : 'Order a test, or begin further back. Leave this page open: the next event appears here at once.'}
        </Empty>
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
      <Box w={{ base: '100%', sm: 300 }}>
        <UserSelect label="User" clearable value={user ?? null} onChange={(value) => change({ user: value })} />
      </Box>
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
