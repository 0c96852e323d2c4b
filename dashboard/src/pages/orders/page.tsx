import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { phial, unwrap } from '../../api/client.ts';
import { useSession } from '../../api/session.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { formatCount } from '../../parts/figure-tile.tsx';
import { useFilters } from '../../parts/filters.ts';
import { NumberedPager, usePageNumber } from '../../parts/numbered-pager.tsx';
import { METHOD_COLUMN, ORDERED_COLUMN, RESULT_COLUMN, TEST_COLUMN } from '../../parts/order-columns.tsx';
import { statusesOf } from '../../parts/order-groups.ts';
import { OrderStatus } from '../../parts/order-status.tsx';
import { Overdue, useOverdue } from '../../parts/overdue.tsx';
import { Page } from '../../parts/page.tsx';
import { usePrivateSearch } from '../../parts/private-search.ts';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Ago, CalendarDate } from '../../parts/time.tsx';
import { dateWritten } from '../../parts/written-date.ts';
import { FILTERS, OrderFilters } from './order-filters.tsx';
import { NewOrder } from './new-order.tsx';

const SIZE = 50;

export default function Orders() {
  const [filters, change] = useFilters(FILTERS);
  const [search, want] = usePrivateSearch('orders', '');
  const searchFor = (next: string): void => {
    want(next);
    // The first page.
    change({});
  };
  const { team } = useSession();
  const page = usePageNumber();
  const query = useQuery({
    queryKey: ['orders', team?.id, search, filters, page],
    queryFn: () => {
      const { status, method, result, overdue, from, until, user } = filters;
      return unwrap(
        phial.GET('/v3/orders', {
          params: {
            query: {
              ...(search && { search_input: dateWritten(search) ?? search }),
              ...(status && { status: statusesOf(status) }),
              ...(method && { order_type: [method] }),
              ...(result && { interpretation: result }),
              ...(overdue && { is_overdue: true, order_key: 'created_at' as const, order_direction: 'asc' as const }),
              ...(from && { start_date: from }),
              ...(until && { end_date: until }),
              ...(user && { user_id: user }),
              page,
              size: SIZE,
            },
          },
        }),
      );
    },
    placeholderData: (before) => before,
  });
  const overdue = useOverdue((query.data?.orders ?? []).map(({ id }) => id));
  const names = Object.keys(filters);
  const isFiltered = names.length > 0 || search !== '';
  const onlyOverdue = names.length === 1 && filters.overdue !== undefined && search === '';
  const clear = (): void => {
    want('');
    change(nothing);
  };
  return (
    <Page
      title="Orders"
      about={`Every order of the team, the ${filters.overdue ? 'oldest' : 'newest'} first.`}
      actions={
        <>
          <Button variant="default" component={Link} to="/notes">
            Notes
          </Button>
          <NewOrder followsAddress />
        </>
      }
    >
      <OrderFilters search={search} searchFor={searchFor} filters={filters} change={change} />
      <Loaded query={query}>
        {({ orders, total }) =>
          orders.length === 0 ? (
            <NoOrders isFiltered={isFiltered} isOverdue={onlyOverdue} clear={clear} />
          ) : (
            <>
              <Text size="sm" c="dimmed" role="status">
                {formatCount(total)} {total === 1 ? 'order' : 'orders'}
                {isFiltered && (total === 1 ? ' matches' : ' match')}
              </Text>
              <DataTable caption="Orders" columns={columnsWith(overdue)} rows={orders} keyOf={({ id }) => id} />
              <NumberedPager total={total} size={SIZE} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

const nothing = Object.fromEntries(Object.keys(FILTERS).map((name) => [name, null])) as Record<
  keyof typeof FILTERS,
  null
>;

type NoOrdersProps = { isFiltered: boolean; isOverdue: boolean; clear: () => void };

function NoOrders({ isFiltered, isOverdue, clear }: NoOrdersProps) {
  return isFiltered ? (
    <Empty
      title={isOverdue ? 'Nothing is overdue' : 'No order matches'}
      action={
        <Button variant="default" onClick={clear}>
          Show all orders
        </Button>
      }
    >
      {isOverdue ? 'Every open order is within the time in which its results are expected.' : NOT_FOUND}{' '}
    </Empty>
  ) : (
    <Empty title="There are no orders yet" action={<NewOrder />}>
      Order a test kit here, or let your own program create orders.
    </Empty>
  );
}

const NOT_FOUND =
  'Change or remove a filter. A name is found by its whole words, an order, a sample and a parcel by the whole number.';

type Order = NonNullable<Awaited<ReturnType<typeof readOrders>>>['orders'][number];
const readOrders = () => unwrap(phial.GET('/v3/orders', { params: { query: { page: 1, size: 1 } } }));

const columnsWith = (overdue: ReadonlySet<string>): Column<Order>[] => [
  TEST_COLUMN,
  METHOD_COLUMN,
  {
    label: 'Patient',
    render: ({ patient_details, patient_address, shipping_details }) => (
      <>
        {patient_address?.receiver_name ?? (shipping_details ? `Sent to ${shipping_details.receiver_name}` : '–')}
        {patient_details && (
          <Text size="sm" c="dimmed">
            <CalendarDate date={patient_details.dob} />
          </Text>
        )}
      </>
    ),
  },
  {
    label: 'Status',
    render: (order) => (
      <>
        <Group gap={6}>
          <OrderStatus status={order.last_event.status} />
          <Text size="sm" c="dimmed">
            <Ago at={order.last_event.created_at} />
          </Text>
        </Group>
        {overdue.has(order.id) && (
          <Text size="sm" mt={4}>
            <Overdue order={order} />
          </Text>
        )}
      </>
    ),
  },
  RESULT_COLUMN,
  { label: 'Sample', render: ({ sample_id }) => (sample_id === null ? '–' : <code>{sample_id}</code>) },
  ORDERED_COLUMN,
];
