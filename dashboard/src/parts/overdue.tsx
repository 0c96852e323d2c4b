// Which orders are overdue, and why. The service says which. Its kinds follow from the status and the method, as in
// `overdue` of GET /v3/order_counts.
import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../api/client.ts';
import { useSession } from '../api/session.tsx';
import { StatusBadge } from './status-badge.tsx';

type Order = {
  activate_by: string | null;
  details: { type: string };
  last_event: { status: string; created_at: string };
};

/** Returns which of the orders, at most 100, are overdue. */
export function useOverdue(orderIds: readonly string[]): ReadonlySet<string> {
  const { team } = useSession();
  const { data } = useQuery({
    queryKey: ['orders', 'overdue', team?.id, orderIds],
    queryFn: async () => {
      const query = { order_ids: [...orderIds], is_overdue: true, page: 1, size: 100 };
      const { orders } = await unwrap(phial.GET('/v3/orders', { params: { query } }));
      return new Set(orders.map(({ id }) => id));
    },
    enabled: orderIds.length > 0,
  });
  return data ?? NONE;
}

const NONE: ReadonlySet<string> = new Set();
const DAY_MS = 86_400_000;

/** The statuses in which a parcel, or the kit at the patient, or the laboratory is waited for. */
const WAITED_FOR: Readonly<Record<string, string>> = {
  transit_customer: 'no news for {days}, on its way to the patient',
  out_for_delivery: 'no news for {days}, on its way to the patient',
  problem_in_transit_customer: 'no news for {days} since a delivery problem',
  transit_lab: 'no news for {days}, on its way to the laboratory',
  problem_in_transit_lab: 'no news for {days} since a delivery problem',
  with_customer: 'no news for {days}, the kit is with the patient',
  testkit_registered: 'no news for {days}, the registered kit is with the patient',
  appointment_scheduled: 'the appointment has passed, and no sample was drawn',
  delivered_to_lab: 'no result for {days}, the sample is at the laboratory',
  lab_processing_blocked: 'no result for {days}, the laboratory is blocked',
  draw_completed: 'no result for {days} since the sample was drawn',
  partial_results: 'no further result for {days}',
};

/** Why an overdue order is overdue: "no news for 12 days, on its way to the patient". */
function overdueInWords({ activate_by, details, last_event: { status, created_at } }: Order, now: number): string {
  const name = status.slice(status.lastIndexOf('.') + 1);
  const isKit = details.type === 'testkit';
  const waiting = WAITED_FOR[name] ?? (isKit ? 'the kit was not sent for {days}' : 'no sample was drawn for {days}');
  // An order that waited for its day is not late before it.
  const since = Math.max(Date.parse(created_at), activate_by === null ? 0 : Date.parse(activate_by));
  const days = Math.floor((now - since) / DAY_MS);
  return waiting.replace('{days}', days === 1 ? '1 day' : `${days} days`);
}

/** Says of an overdue order that it is overdue, and why. */
export function Overdue({ order }: { order: Order }) {
  return (
    <>
      <StatusBadge tone="warning">Overdue</StatusBadge> <span>{overdueInWords(order, Date.now())}</span>
    </>
  );
}
