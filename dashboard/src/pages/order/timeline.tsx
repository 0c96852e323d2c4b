import { Text, Timeline as Line } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../../api/client.ts';
import { useTeamPath } from '../../api/session.tsx';
import { statusInWords } from '../../parts/order-status.tsx';
import { inWords } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';
import type { Order } from './order-query.ts';
import { Told } from './told.tsx';

type Published = { id: string; event_type: string; created_at: string; order_event_id: number | null };

const eventInWords = ({ event_type }: Published): string =>
  inWords(event_type.replace('labtest.', '').replaceAll('.', ' '));

/** What happened to the order, the newest first, each with the events that told of it. */
export function Timeline({ order }: { order: Order }) {
  const { data } = useQuery({
    queryKey: ['order_events', order.id, order.last_event.id],
    queryFn: () => unwrap(phial.GET('/v3/order/{order_id}/event', { params: { path: { order_id: order.id } } })),
  });
  const assigned = useAssignedResults(order.id, order.updated_at);
  const published = data?.events ?? [];
  const stepOf = new Map(published.map((event) => [event.id, stepOfEvent(event, published)]));
  const steps = [
    ...order.events.map(({ id, created_at, status, status_detail }) => ({
      key: `status ${id}`,
      at: created_at,
      rank: id,
      title: statusInWords(status),
      detail: status_detail === null ? null : inWords(status_detail),
      events: published.filter((event) => stepOf.get(event.id) === id),
    })),
    ...published
      .filter(({ id }) => stepOf.get(id) === null)
      .map((event) => ({
        key: event.id,
        at: event.created_at,
        rank: 0,
        title: eventInWords(event),
        detail: null,
        events: [event],
      })),
    ...assigned.map(({ id, reviewed_at, updated_at, decided_by }) => ({
      key: `assigned ${id}`,
      at: reviewed_at ?? updated_at,
      rank: 0,
      title: 'A person gave this order a result that named no order',
      detail: decided_by ?? 'with a key, so nobody is named',
      events: [],
    })),
  ].toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at) || other.rank - one.rank);
  return (
    <Line bulletSize={16} lineWidth={2} active={steps.length}>
      {steps.map(({ key, at, title, detail, events }) => (
        <Line.Item key={key} title={title}>
          <Text size="sm" c="dimmed">
            <Time at={at} />
            {detail !== null && ` · ${detail}`}
          </Text>
          {events.map((event) => (
            <Told
              key={event.id}
              event={event}
              label={event.order_event_id === null && event.id !== key ? eventInWords(event) : null}
            />
          ))}
        </Line.Item>
      ))}
    </Line>
  );
}

/** The results that no number led to this order, but a person. The service keeps such a decision for 90 days. */
function useAssignedResults(order_id: string, updated_at: string) {
  const path = useTeamPath();
  const { data } = useQuery({
    queryKey: ['assigned_results', path.team_id, order_id, updated_at],
    queryFn: () =>
      unwrap(
        phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/unmatched_result', {
          params: { path, query: { order_id, limit: 100 } },
        }),
      ),
    // Not everybody who sees an order may see what waits for the team.
    retry: false,
  });
  return data?.data ?? [];
}

/**
 * Returns the number of the step at which an event stands, null if it stands for itself. The events of one transaction
 * bear the same time. In the list, whose newest event is the first, an event without a step comes before its step.
 */
function stepOfEvent(event: Published, published: readonly Published[]): number | null {
  if (event.order_event_id !== null) return event.order_event_id;
  const place = published.indexOf(event);
  const isStep = ({ order_event_id, created_at }: Published): boolean =>
    order_event_id !== null && created_at === event.created_at;
  const step = published.slice(0, place).findLast(isStep) ?? published.slice(place).find(isStep);
  return step?.order_event_id ?? null;
}
