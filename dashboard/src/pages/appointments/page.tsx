import { Anchor, Button, Group, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useSession } from '../../api/session.tsx';
import { whyEnded } from '../../parts/appointment-end.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { date, useFilters } from '../../parts/filters.ts';
import { ChevronLeftIcon, ChevronRightIcon } from '../../parts/icons.tsx';
import { Page } from '../../parts/page.tsx';
import { Pager, useCursor } from '../../parts/pager.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { inWords, StatusBadge, type Tone } from '../../parts/status-badge.tsx';
import { CalendarDate, Time, TimeIn } from '../../parts/time.tsx';
import { appointmentsQuery, ZONE, type Appointment } from './appointments-query.ts';
import { CancelAppointment } from './cancel-appointment.tsx';

const FILTERS = { date };
const DAY_MS = 86_400_000;

/** Today in the viewer's zone, `2026-11-27`. */
const today = (): string => new Intl.DateTimeFormat('en-CA').format(new Date());
const shifted = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

export default function Appointments() {
  const [{ date: day = today() }, change] = useFilters(FILTERS);
  const { team } = useSession();
  const query = useQuery(appointmentsQuery(team?.id, day, useCursor()));
  const [cancelled, setCancelled] = useState<Appointment | null>(null);
  const columns: Column<Appointment>[] = [
    ...COLUMNS,
    {
      label: 'Action',
      render: (appointment) =>
        hasBegun(appointment) ? (
          '–'
        ) : (
          <Button variant="default" size="xs" onClick={() => setCancelled(appointment)}>
            Cancel
          </Button>
        ),
    },
  ];
  return (
    <Page title="Appointments" about={`Draws of a day across all orders, in your time zone (${ZONE}).`}>
      <Group align="flex-end" gap="xs">
        <Button
          variant="default"
          aria-label="The day before"
          px="xs"
          onClick={() => change({ date: shifted(day, -1) })}
        >
          <ChevronLeftIcon size={16} />
        </Button>
        <TextInput
          label="Day"
          type="date"
          value={day}
          onChange={({ currentTarget }) => change({ date: currentTarget.value || null })}
        />
        <Button variant="default" aria-label="The day after" px="xs" onClick={() => change({ date: shifted(day, 1) })}>
          <ChevronRightIcon size={16} />
        </Button>
        <Button variant="default" onClick={() => change({ date: null })}>
          Today
        </Button>
      </Group>
      <Loaded query={query}>
        {({ data, next_cursor }) =>
          data.length === 0 ? (
            <Empty title="No appointment on this day">
              Choose another day. Appointments without a time yet are on the pages of their orders.
            </Empty>
          ) : (
            <>
              <DataTable caption="Appointments" columns={columns} rows={data} keyOf={({ id }) => id} />
              <Pager nextCursor={next_cursor} />
            </>
          )
        }
      </Loaded>
      {cancelled && <CancelAppointment appointment={cancelled} close={() => setCancelled(null)} />}
    </Page>
  );
}

const namesOf = ({ first_name, last_name }: { first_name: string | null; last_name: string | null }): string =>
  `${first_name ?? ''} ${last_name ?? ''}`.trim();

const ENDED = new Set(['completed', 'cancelled', 'in_progress']);
/** The service cancels nothing that has begun. */
const hasBegun = ({ status, start_at }: Appointment): boolean =>
  ENDED.has(status) || (start_at !== null && Date.parse(start_at) <= Date.now());

/** Whether clocks there show something else: two zones may have the same time. */
const isOtherTime = (at: string, zone: string): boolean => clockIn(at, zone) !== clockIn(at, ZONE);
const clockIn = (at: string, timeZone: string): string => new Date(at).toLocaleString('en-US', { timeZone });

const TONES: Record<string, Tone> = { confirmed: 'good', completed: 'quiet', cancelled: 'quiet' };

const COLUMNS: Column<Appointment>[] = [
  {
    label: 'Time',
    isHeader: true,
    render: ({ start_at, order_id, iana_timezone: zone }) => (
      <>
        <Anchor component={Link} to={`/orders/${order_id}`} fw={600}>
          {start_at === null ? 'No time yet' : <Time at={start_at} />}
        </Anchor>
        {start_at !== null && zone !== null && isOtherTime(start_at, zone) && (
          <Text size="sm" c="dimmed" fw={400}>
            There: <TimeIn at={start_at} zone={zone} />
          </Text>
        )}
      </>
    ),
  },
  {
    label: 'Patient',
    render: ({ user_id, client_user_id, order: { patient } }) => (
      <>
        <Anchor component={Link} to={`/users/${user_id}`} style={{ overflowWrap: 'anywhere' }}>
          {(patient && namesOf(patient)) || client_user_id}
        </Anchor>
        {patient && (
          <Text size="sm" c="dimmed">
            born <CalendarDate date={patient.dob} />
          </Text>
        )}
      </>
    ),
  },
  { label: 'Test', render: ({ order }) => order.lab_test_name },
  {
    label: 'Status',
    render: (appointment) => {
      const { status } = appointment;
      const { reason, note } = whyEnded(appointment);
      return (
        <>
          <StatusBadge tone={TONES[status] ?? 'active'}>{inWords(status)}</StatusBadge>
          {[reason, note].map(
            (text) =>
              text !== null && (
                <Text size="sm" key={text} mt={4} maw={260}>
                  {text}
                </Text>
              ),
          )}
        </>
      );
    },
  },
  {
    label: 'Draw',
    render: ({ type, provider, address }) => (
      <>
        {type === 'phlebotomy' ? 'At home' : 'Service center'}, {address.city}, {address.state}
        <Text size="sm" c="dimmed">
          with {inWords(provider)}
        </Text>
      </>
    ),
  },
];
