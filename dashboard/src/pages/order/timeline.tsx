import { Anchor, Group, Text, Timeline as Line } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { phial, unwrap } from '../../api/client.ts';
import { useTeamPath } from '../../api/session.tsx';
import { useEndpointName } from '../../parts/endpoint-names.ts';
import { statusInWords } from '../../parts/order-status.tsx';
import { inWords, StatusBadge, type Tone } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';
import type { Order } from './order-query.ts';

type Published = { id: string; event_type: string; created_at: string; order_event_id: number | null };

/** Every status of the order, the newest first, each with the webhooks that reported it. */
export function Timeline({ order }: { order: Order }) {
  const { data } = useQuery({
    queryKey: ['order_events', order.id, order.last_event.id],
    queryFn: () => unwrap(phial.GET('/v3/order/{order_id}/event', { params: { path: { order_id: order.id } } })),
  });
  const published = data?.events ?? [];
  const others = published.filter(({ order_event_id }) => order_event_id === null);
  const steps = [
    ...order.events.map(({ id, created_at, status, status_detail }) => ({
      key: `status ${id}`,
      at: created_at,
      rank: id,
      title: statusInWords(status),
      detail: status_detail === null ? null : inWords(status_detail),
      events: published.filter(({ order_event_id }) => order_event_id === id),
    })),
    ...others.map((event) => ({
      key: event.id,
      at: event.created_at,
      rank: rankOf(event, published, order),
      title: inWords(event.event_type.replace('labtest.', '').replaceAll('.', ' ')),
      detail: null,
      events: [event],
    })),
  ].toSorted((one, other) => other.rank - one.rank);
  return (
    <Line bulletSize={16} lineWidth={2} active={steps.length}>
      {steps.map(({ key, at, title, detail, events }) => (
        <Line.Item key={key} title={title}>
          <Text size="sm" c="dimmed">
            <Time at={at} />
            {detail !== null && ` · ${detail}`}
          </Text>
          {events.map((event) => (
            <Webhooks key={event.id} event={event} />
          ))}
        </Line.Item>
      ))}
    </Line>
  );
}

/**
 * Places an event that is no step among the steps, whose rank is their number. The events of a transaction bear its
 * beginning, so that times do not tell their order. The list, whose newest event is the first, does.
 */
function rankOf(event: Published, published: readonly Published[], { events: steps }: Order): number {
  const place = published.indexOf(event);
  const before = published.slice(place).find(({ order_event_id }) => order_event_id !== null)?.order_event_id;
  const after = before ?? steps.findLast(({ created_at }) => created_at <= event.created_at)?.id ?? 0;
  return after + 0.9 - 0.8 * (place / published.length);
}

const TONES: Record<string, Tone> = { succeeded: 'good', failed: 'warning', exhausted: 'bad' };

/** How an event came to the endpoints of the team: the newest attempt of each. */
function Webhooks({ event }: { event: Published }) {
  const path = useTeamPath();
  const endpointName = useEndpointName();
  const { data } = useQuery({
    queryKey: ['event_attempts', path.team_id, event.id],
    queryFn: () =>
      unwrap(
        phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/event/{event_id}/attempt', {
          params: { path: { ...path, event_id: event.id }, query: { limit: 50 } },
        }),
      ),
    // A plan without webhooks refuses this, and the status is still worth showing.
    retry: false,
  });
  if (!data) return null;
  const newest = [...new Map(data.data.toReversed().map((attempt) => [attempt.webhook_id, attempt])).values()];
  return (
    <Group gap={6} mt={4} style={{ overflowWrap: 'anywhere' }}>
      <Anchor component={Link} to={`/events/${event.id}`} size="sm">
        {event.event_type}
      </Anchor>
      {newest.map(({ id, webhook_id, status, http_status, error }) => (
        <StatusBadge key={id} tone={TONES[status] ?? 'quiet'}>
          {status === 'succeeded'
            ? `Delivered to ${endpointName(webhook_id)} (${http_status})`
            : `${inWords(status)} at ${endpointName(webhook_id)} (${http_status ?? error})`}
        </StatusBadge>
      ))}
      {newest.length === 0 && data.waiting.length > 0 && <StatusBadge tone="active">Waits to be sent</StatusBadge>}
      {newest.length === 0 && data.waiting.length === 0 && (
        <Text size="sm" c="dimmed">
          no endpoint gets it
        </Text>
      )}
    </Group>
  );
}
