import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { phial, unwrap } from '../../api/client.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { NumberedPager, usePageNumber } from '../../parts/numbered-pager.tsx';
import { METHOD_COLUMN, ORDERED_COLUMN, RESULT_COLUMN, TEST_COLUMN } from '../../parts/order-columns.tsx';
import { OrderStatus } from '../../parts/order-status.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';

const SIZE = 20;
const read = (user_id: string, page: number) =>
  unwrap(phial.GET('/v3/orders', { params: { query: { user_id, page, size: SIZE } } }));
type Order = Awaited<ReturnType<typeof read>>['orders'][number];

/** The orders of a user, and the way to the trends of their results. */
export function UserOrders({ userId }: { userId: string }) {
  const page = usePageNumber();
  const query = useQuery({ queryKey: ['orders', 'of user', userId, page], queryFn: () => read(userId, page) });
  return (
    <Stack gap="md">
      <Group justify="flex-end">
        <Button component={Link} to={`/users/${userId}/trends`} variant="default">
          Results as trends
        </Button>
      </Group>
      <Loaded query={query}>
        {({ orders, total }) =>
          orders.length === 0 ? (
            <Empty
              title="No order yet"
              action={
                <Button component={Link} to="/orders" search={{ order_for: userId } as never} variant="default">
                  Order a test
                </Button>
              }
            >
              Order a test for this user. Its results appear here.
            </Empty>
          ) : (
            <>
              <DataTable caption="Orders" columns={COLUMNS} rows={orders} keyOf={({ id }) => id} />
              <NumberedPager total={total} size={SIZE} />
            </>
          )
        }
      </Loaded>
    </Stack>
  );
}

const COLUMNS: Column<Order>[] = [
  TEST_COLUMN,
  METHOD_COLUMN,
  { label: 'Status', render: ({ last_event }) => <OrderStatus status={last_event.status} /> },
  RESULT_COLUMN,
  ORDERED_COLUMN,
];
