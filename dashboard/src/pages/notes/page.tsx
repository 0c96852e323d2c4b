import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { phial, unwrap } from '../../api/client.ts';
import { useSession } from '../../api/session.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Page } from '../../parts/page.tsx';
import { Pager, useCursor } from '../../parts/pager.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';

/** What colleagues wrote on any order of the team. */
export default function Notes() {
  const { team } = useSession();
  const cursor = useCursor();
  const query = useQuery({
    queryKey: ['order_notes', 'of the team', team?.id, cursor],
    queryFn: () => readNotes(cursor),
    placeholderData: (before) => before,
  });
  return (
    <Page title="Notes on orders" about="What colleagues wrote on any order, the newest first.">
      <Loaded query={query}>
        {({ notes, next_cursor }) =>
          notes.length === 0 ? (
            <Empty title="There are no notes yet">Write one on the page of an order.</Empty>
          ) : (
            <>
              <DataTable caption="Notes" columns={COLUMNS} rows={notes} keyOf={({ id }) => id} />
              <Pager nextCursor={next_cursor} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

/** Reads a page of notes, with the orders that they are about. */
async function readNotes(next_cursor: string | undefined) {
  const { data, ...rest } = await unwrap(
    phial.GET('/v3/order_note', { params: { query: { limit: 50, ...(next_cursor && { next_cursor }) } } }),
  );
  const order_ids = [...new Set(data.map(({ order_id }) => order_id))];
  const { orders } =
    order_ids.length === 0
      ? { orders: [] }
      : await unwrap(phial.GET('/v3/orders', { params: { query: { order_ids, page: 1, size: 100 } } }));
  const byId = new Map(orders.map((order) => [order.id, order]));
  return { notes: data.map((note) => ({ ...note, order: byId.get(note.order_id) })), ...rest };
}

type Note = Awaited<ReturnType<typeof readNotes>>['notes'][number];

const COLUMNS: Column<Note>[] = [
  {
    label: 'Order',
    isHeader: true,
    render: ({ order_id, order }) => (
      <>
        <Anchor component={Link} to={`/orders/${order_id}`} fw={600}>
          {whose(order) ?? order?.lab_test.name ?? `order …${order_id.slice(-8)}`}
        </Anchor>
        {order && whose(order) !== null && (
          <Text size="sm" c="dimmed">
            {order.lab_test.name}
          </Text>
        )}
      </>
    ),
  },
  {
    label: 'Note',
    render: ({ text }) => (
      <Text lineClamp={4} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {text}
      </Text>
    ),
  },
  { label: 'By', render: ({ author }) => author },
  { label: 'When', render: ({ created_at }) => <Time at={created_at} /> },
];

/** The patient's name, once the patient is known. */
const whose = (order: Note['order']): string | null => order?.patient_address?.receiver_name ?? null;
