import { Alert, Anchor, Button, Group, Paper, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { useSession } from '../../api/session.tsx';
import { CallAttempts } from '../../parts/call-attempts.tsx';
import { Decide } from '../../parts/critical-decide.tsx';
import { CriticalMarkers, Decided, type CriticalEntry } from '../../parts/critical-result.tsx';
import { formatCount } from '../../parts/figure-tile.tsx';
import { oneOf, useFilters } from '../../parts/filters.ts';
import { useOrderCounts } from '../../parts/order-counts.ts';
import { Page } from '../../parts/page.tsx';
import { Pager, useCursor } from '../../parts/pager.tsx';
import { NameAndBirth } from '../../parts/people.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Ago, ViewersTime } from '../../parts/time.tsx';
import { TrendLink } from '../../parts/trend-link.tsx';

const STATUSES = { open: 'Open', acknowledged: 'Acknowledged', signed_off: 'Signed off' } as const;
type Status = keyof typeof STATUSES;
const NAMES = Object.keys(STATUSES) as Status[];
const FILTERS = { status: oneOf(...NAMES) };

/** What the list is, and what it says where it is empty. */
const TEXTS: Record<Status, { about: string; nothing: [title: string, text: string] }> = {
  open: {
    about: 'Nobody has acknowledged these. The one that has waited longest comes first.',
    nothing: [
      'No critical result waits',
      'Nothing has to be done. A critical result appears here at the moment its laboratory reports it.',
    ],
  },
  acknowledged: {
    about: 'Somebody was told, and a clinician has yet to sign them off. The one that has waited longest comes first.',
    nothing: ['No critical result waits for a sign-off', 'Acknowledge an open one first. It then comes here.'],
  },
  signed_off: {
    about: 'These are done. The newest result comes first.',
    nothing: [
      'Nothing has been signed off yet',
      'A clinician signs off acknowledged results. Choose these to see what waits.',
    ],
  },
};

const read = (team: string | undefined, status: Status, cursor: string | undefined) => ({
  queryKey: ['critical_results', team, status, cursor],
  queryFn: () =>
    unwrap(
      phial.GET('/v3/critical_result', {
        params: {
          query: {
            status: [status],
            // Who waits is served first. What is done is looked up from its end.
            order_direction: status === 'signed_off' ? ('desc' as const) : ('asc' as const),
            limit: 20,
            ...(cursor && { next_cursor: cursor }),
          },
        },
      }),
    ),
  refetchInterval: 30_000,
});

export default function CriticalResults() {
  const [{ status = 'open' }, change] = useFilters(FILTERS);
  const [done, setDone] = useState<string | null>(null);
  const { team } = useSession();
  const cursor = useCursor();
  const query = useQuery(read(team?.id, status, cursor));
  const show = (next: Status): void => {
    // What was done here says nothing about the other list.
    setDone(null);
    change({ status: next === 'open' ? null : next });
  };
  const { about } = TEXTS[status];
  return (
    <Page
      title="Critical results"
      about={
        <>
          {about} <ViewersTime />
        </>
      }
    >
      <StatusTabs value={status} change={show} />
      {/* Always there, so that a screen reader hears what is written into it. */}
      <div role="status">
        {done !== null && (
          <Alert withCloseButton closeButtonLabel="Close" onClose={() => setDone(null)}>
            {done}
          </Alert>
        )}
      </div>
      <Loaded query={query}>
        {({ data, next_cursor }) =>
          data.length === 0 ? (
            <Nothing status={status} show={show} />
          ) : (
            <Stack gap="md">
              {data.map((entry) => (
                <Card key={entry.id} entry={entry} orders={ordersOf(data)} say={setDone} />
              ))}
              <Pager nextCursor={next_cursor} />
            </Stack>
          )
        }
      </Loaded>
    </Page>
  );
}

const ordersOf = (entries: CriticalEntry[]): string[] =>
  [...new Set(entries.map(({ order_id }) => order_id))].toSorted();

/** Says that a list is empty. Acknowledged results still wait for somebody. */
function Nothing({ status, show }: { status: Status; show: (status: Status) => void }) {
  const { data } = useOrderCounts();
  const toSignOff = data?.critical_results.acknowledged ?? 0;
  const [title, text] = TEXTS[status].nothing;
  if (status !== 'open' || toSignOff === 0) return <Empty title={title}>{text}</Empty>;
  return (
    <Empty
      title="No critical result waits for a call"
      action={
        <Button variant="default" onClick={() => show('acknowledged')}>
          Show what waits for a sign-off
        </Button>
      }
    >
      {toSignOff === 1
        ? 'One acknowledged result waits for a sign-off.'
        : `${formatCount(toSignOff)} acknowledged results wait for a sign-off.`}
    </Empty>
  );
}

function StatusTabs({ value, change }: { value: Status; change: (status: Status) => void }) {
  const { data } = useOrderCounts();
  const counts = data?.critical_results;
  return (
    <SegmentedControl
      aria-label="Which results"
      value={value}
      onChange={(status) => change(status as Status)}
      data={NAMES.map((name) => ({
        value: name,
        label: counts ? `${STATUSES[name]} (${formatCount(counts[name])})` : STATUSES[name],
      }))}
      style={{ alignSelf: 'flex-start' }}
    />
  );
}

type CardProps = {
  entry: CriticalEntry;
  /** The orders of all cards. */
  orders: string[];
  say: (done: string) => void;
};

function Card({ entry, orders, say }: CardProps) {
  const { order, order_id, user_id, client_user_id, markers, received_at, result_status } = entry;
  const { patient, lab_test_name } = order;
  return (
    <Paper withBorder p="lg" component="article" aria-label={`Critical result of ${lab_test_name}`}>
      <Group justify="space-between" align="flex-start" gap="sm" mb="md">
        <div>
          <Title order={2} size="h3">
            <Anchor component={Link} to={`/users/${user_id}`} inherit>
              {patient ? <NameAndBirth of={patient} /> : client_user_id}
            </Anchor>
          </Title>
          <Text size="sm" c="dimmed">
            {lab_test_name}
            {patient && ` · ${client_user_id}`}
            {' · '}reported <Ago at={received_at} />
            {result_status === 'partial' && ' · partial report'}
            {entry.belongs_to_ended_order && ' · the order had ended'}
          </Text>
        </div>
        <Group gap="sm">
          <Button component={Link} to={`/orders/${order_id}`} variant="default">
            Open the order
          </Button>
          <Decide entry={entry} say={say} />
        </Group>
      </Group>
      <CriticalMarkers
        of={markers}
        beside={({ loinc, slug, name }) => <TrendLink userId={user_id} marker={loinc ?? slug ?? ''} name={name} />}
      />
      {entry.status === 'open' && <CallAttempts entry={entry} orders={orders} />}
      <Decided entry={entry} />
    </Paper>
  );
}
