import { Anchor, Badge, Button, Group, Paper, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { useSession } from '../../api/session.tsx';
import { oneOf, useFilters } from '../../parts/filters.ts';
import { Page } from '../../parts/page.tsx';
import { Pager, useCursor } from '../../parts/pager.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Ago, CalendarDate, Time } from '../../parts/time.tsx';
import { unitInWords } from '../../parts/unit.ts';
import { Acknowledge, SignOff } from './decide.tsx';

const FILTERS = { status: oneOf('open', 'acknowledged', 'signed_off') };
const NOTHING: Record<string, [title: string, text: string]> = {
  open: [
    'No critical result waits',
    'Nothing has to be done. A critical result appears here at the moment its laboratory reports it.',
  ],
  acknowledged: ['No critical result waits for a sign-off', 'Acknowledge an open one first. It then comes here.'],
  signed_off: [
    'Nothing has been signed off yet',
    'A clinician signs off acknowledged results. Choose these to see what waits.',
  ],
};

const read = (team: string | undefined, status: string, cursor: string | undefined) => ({
  queryKey: ['critical_results', team, status, cursor],
  queryFn: () =>
    unwrap(
      phial.GET('/v3/critical_result', {
        params: {
          query: {
            status: [status],
            // Who waits is served first. What is done is looked up from its end.
            order_direction: status === 'open' ? ('asc' as const) : ('desc' as const),
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
  const { team } = useSession();
  const cursor = useCursor();
  const query = useQuery(read(team?.id, status, cursor));
  const [title, text] = NOTHING[status] ?? ['', ''];
  return (
    <Page title="Critical results" about="Results on which somebody has to act. The longest waiting comes first.">
      <SegmentedControl
        aria-label="Which results"
        value={status}
        onChange={(value) => change({ status: value === 'open' ? null : value })}
        data={[
          { value: 'open', label: 'Open' },
          { value: 'acknowledged', label: 'Acknowledged' },
          { value: 'signed_off', label: 'Signed off' },
        ]}
        style={{ alignSelf: 'flex-start' }}
      />
      <Loaded query={query}>
        {({ data, next_cursor }) =>
          data.length === 0 ? (
            <Empty title={title}>{text}</Empty>
          ) : (
            <Stack gap="md">
              {data.map((entry) => (
                <Card key={entry.id} entry={entry} />
              ))}
              <Pager nextCursor={next_cursor} />
            </Stack>
          )
        }
      </Loaded>
    </Page>
  );
}

export type Entry = Awaited<ReturnType<ReturnType<typeof read>['queryFn']>>['data'][number];

function Card({ entry }: { entry: Entry }) {
  const { order, order_id, user_id, client_user_id, markers, received_at, status, result_status } = entry;
  const [dialog, setDialog] = useState<'acknowledge' | 'sign_off' | null>(null);
  const { patient } = order;
  const name = patient && `${patient.first_name ?? ''} ${patient.last_name ?? ''}`.trim();
  return (
    <Paper withBorder p="lg" component="article" aria-label={`Critical result of ${order.lab_test_name}`}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Title order={2} size="h3">
            <Anchor component={Link} to={`/orders/${order_id}`} inherit>
              {order.lab_test_name}
            </Anchor>
          </Title>
          <Text size="sm" c="dimmed">
            <Anchor component={Link} to={`/users/${user_id}`} size="sm">
              {name || client_user_id}
            </Anchor>
            {patient && (
              <>
                , born <CalendarDate date={patient.dob} />
              </>
            )}
            {' · '}reported <Ago at={received_at} />
            {result_status === 'partial' && ' · partial report'}
            {entry.belongs_to_ended_order && ' · the order had ended'}
          </Text>
        </div>
        {status === 'open' && <Button onClick={() => setDialog('acknowledge')}>Acknowledge</Button>}
        {status === 'acknowledged' && <Button onClick={() => setDialog('sign_off')}>Sign off</Button>}
      </Group>
      <Stack gap={4} mt="md">
        {markers.map((marker) => (
          <Group key={`${marker.name} ${marker.result}`} gap="xs">
            <Text fw={600}>{marker.name}</Text>
            <Badge color="red" variant="light" tt="none" size="lg">
              {marker.result} {unitInWords(marker.unit)}
            </Badge>
            {marker.reference_range !== null && (
              <Text size="sm" c="dimmed">
                range {marker.reference_range}
              </Text>
            )}
            <Anchor
              component={Link}
              to={`/users/${user_id}/trends`}
              search={{ marker: marker.loinc ?? marker.slug ?? '' } as never}
              size="sm"
            >
              Before
            </Anchor>
          </Group>
        ))}
      </Stack>
      <Decided entry={entry} />
      {dialog === 'acknowledge' && <Acknowledge entry={entry} close={() => setDialog(null)} />}
      {dialog === 'sign_off' && <SignOff entry={entry} close={() => setDialog(null)} />}
    </Paper>
  );
}

/** Who acknowledged and who signed off. */
function Decided({ entry: { acknowledgement, sign_off } }: { entry: Entry }) {
  if (!acknowledgement) return null;
  const { acknowledged_by, acknowledged_at, called_person, called_at, read_back, note } = acknowledgement;
  return (
    <Stack gap={2} mt="md">
      <Text size="sm">
        Acknowledged by {acknowledged_by}, <Time at={acknowledged_at} />
        {called_person !== null && `. ${called_person} was called`}
        {called_at !== null && (
          <>
            {' '}
            at <Time at={called_at} />
          </>
        )}
        {read_back === true && ', and read the values back'}
        {read_back === false && ', without reading the values back'}.
      </Text>
      {note !== null && <Text size="sm">{note}</Text>}
      {sign_off && (
        <Text size="sm">
          Signed off by {sign_off.signed_off_by}, <Time at={sign_off.signed_off_at} />.{' '}
          {sign_off.note !== null && sign_off.note}
        </Text>
      )}
    </Stack>
  );
}
