import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { CopyableId } from '../../parts/copyable-id.tsx';
import { FactList, type Fact } from '../../parts/fact-list.tsx';
import { methodInWords } from '../../parts/order-status.tsx';
import { Section } from '../../parts/section.tsx';
import { inWords } from '../../parts/status-badge.tsx';
import { endFacts } from '../../parts/appointment-end.ts';
import { CalendarDate, Time, TimeIn } from '../../parts/time.tsx';
import { relativesOf, type Order } from './order-query.ts';

/** Leads to another order. */
export const OrderLink = ({ id }: { id: string }) => (
  <Anchor component={Link} to={`/orders/${id}`}>
    order …{id.slice(-8)}
  </Anchor>
);

/** Who is tested, or where the kit goes as long as nobody is known. */
export function PatientFacts({ order }: { order: Order }) {
  const { patient_details: patient } = order;
  const address = order.patient_address ?? order.shipping_details;
  return (
    <Section title="Patient">
      {patient ? (
        <FactList
          facts={[
            ['Name', `${patient.first_name ?? ''} ${patient.last_name ?? ''}`.trim() || null],
            ['Born', <CalendarDate key="dob" date={patient.dob} />],
            ['Gender', inWords(patient.gender)],
            ['Phone', patient.phone_number],
            ['E-mail', patient.email],
            ['Address', address && <AddressLines address={address} />],
          ]}
        />
      ) : (
        <>
          <Text c="dimmed" mb="sm">
            Nobody is known until the kit is registered.
          </Text>
          <FactList facts={[['Sent to', address && <AddressLines address={address} />]]} />
        </>
      )}
    </Section>
  );
}

/** The parcels, the appointment, and the numbers of an order. */
export function Facts({ order }: { order: Order }) {
  const { details, physician, lab_test } = order;
  const shipment = details.data?.shipment;
  const { before, after } = relativesOf(order);
  return (
    <>
      {shipment && (
        <Section title="Shipment">
          <FactList facts={parcelFacts(shipment)} />
        </Section>
      )}
      {details.type !== 'testkit' && <AppointmentFacts order={order} />}
      <Section title="Order">
        <FactList
          facts={[
            ['Order', <CopyableId key="order" value={order.id} label="order id" />],
            ['Sample', order.sample_id && <CopyableId value={order.sample_id} isWhole label="sample id" />],
            ['Method', methodInWords(details.type)],
            ['Laboratory', lab_test.lab?.name],
            ['Physician', physician && `${physician.first_name} ${physician.last_name}, NPI ${physician.npi}`],
            ['Billing', inWords(order.billing_type)],
            ['Origin', order.origin && (ORIGINS[order.origin] ?? inWords(order.origin))],
            ['Replaces', before && <OrderLink id={before} />],
            ['Replaced by', after && <OrderLink id={after.id} />],
            ['Ordered', <Time key="created" at={order.created_at} />],
            ['Waits until', order.activate_by && <CalendarDate date={order.activate_by} />],
            ['For the laboratory', order.clinical_notes],
            ['Opened by', <WhoOpened key="opened" orderId={order.id} />],
          ]}
        />
      </Section>
    </>
  );
}

const ORIGINS: Partial<Record<string, string>> = {
  recreation: 'A replacement kit',
  redraw: 'A new sample was needed',
};

/** Leads to the lines of the audit log about the order. */
const WhoOpened = ({ orderId: record }: { orderId: string }) => (
  <Anchor component={Link} to="/settings" search={{ tab: 'audit-log', record } as never}>
    See the audit log
  </Anchor>
);

type AnAddress = {
  receiver_name: string;
  first_line: string;
  city: string;
  state: string;
  zip: string;
  country: string;
};

export function AddressLines({ address }: { address: AnAddress & { second_line?: string | null } }) {
  const { receiver_name, first_line, second_line, city, state, zip, country } = address;
  return (
    <>
      {[receiver_name, first_line, second_line, `${city}, ${state} ${zip}`, country].filter(Boolean).map((line) => (
        <span key={line} style={{ display: 'block' }}>
          {line}
        </span>
      ))}
    </>
  );
}

type Parcels = NonNullable<NonNullable<Order['details']['data']>['shipment']>;

const parcelFacts = (parcels: Parcels): Fact[] => [
  [
    'To the patient',
    parcelOf(parcels.outbound_courier, parcels.outbound_tracking_number, parcels.outbound_tracking_url),
  ],
  [
    'To the laboratory',
    parcelOf(parcels.inbound_courier, parcels.inbound_tracking_number, parcels.inbound_tracking_url),
  ],
  ['Notes', parcels.notes],
];

function parcelOf(courier?: string | null, number?: string | null, url?: string | null): ReactNode {
  const carrier = courier?.toUpperCase();
  if (!number) return carrier ?? null;
  const shown = `${carrier ?? ''} ${number}`.trim();
  return url ? (
    <Anchor href={url} target="_blank" rel="noreferrer">
      {shown}
    </Anchor>
  ) : (
    shown
  );
}

/** The newest appointment of the order, if it has one. */
function AppointmentFacts({ order }: { order: Order }) {
  const isAtHome = order.details.type === 'at_home_phlebotomy';
  const { data } = useQuery({
    queryKey: ['appointment', order.id, order.last_event.id],
    enabled: Boolean(order.details.data?.appointment_id),
    queryFn: () => {
      const params = { path: { order_id: order.id } };
      return isAtHome
        ? unwrap(phial.GET('/v3/order/{order_id}/phlebotomy/appointment', { params }))
        : unwrap(phial.GET('/v3/order/{order_id}/psc/appointment', { params }));
    },
  });
  if (!data) return null;
  const { start_at, status, provider, address, iana_timezone } = data;
  return (
    <Section title="Appointment">
      <FactList
        facts={[
          ['When', start_at === null ? 'Not known yet' : <Time at={start_at} />],
          ['Local time', start_at !== null && iana_timezone && <TimeIn at={start_at} zone={iana_timezone} />],
          ['Status', inWords(status)],
          ...endFacts(data),
          ['Where', `${address.first_line}, ${address.city}, ${address.state}`],
          ['With', inWords(provider)],
        ]}
      />
    </Section>
  );
}
