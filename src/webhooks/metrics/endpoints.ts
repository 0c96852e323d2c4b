import { endpoint } from '../../http/endpoint.ts';
import { ofTeam, TEAM_PATH } from '../../tenancy/places.ts';
import { ofWebhook, WEBHOOK_PATH } from '../places.ts';
import { findMetrics } from './find.ts';
import { findEventDelivery } from './prometheus.ts';
import { EventDeliveryQuery, MetricsQuery, PrometheusMatrix, WebhookMetrics } from './schemas.ts';

const tag = 'webhooks';
const auth = 'management_key';
const WHEN =
  'Counts are written every ten seconds and kept as long as attempts are; those of a process that is killed miss its last seconds. ';

export const webhookMetricsEndpoints = [
  endpoint({
    id: 'get_webhook_metrics',
    method: 'GET',
    path: `${WEBHOOK_PATH}/metrics`,
    tag,
    auth,
    scope: 'team',
    params: ofWebhook,
    query: MetricsQuery,
    response: WebhookMetrics,
    summary: 'Read how deliveries to an endpoint went',
    description: `${WHEN}At most 1,000 intervals are told.`,
    refusals: ['not_found'],
    handle: async (ctx, { params: { webhook_id }, query }) => findMetrics(ctx, webhook_id, query),
  }),
  endpoint({
    id: 'get_team_webhook_metrics',
    method: 'GET',
    path: `${TEAM_PATH}/webhook_metrics`,
    tag,
    auth,
    scope: 'team',
    params: ofTeam,
    query: MetricsQuery,
    response: WebhookMetrics,
    summary: 'Read how deliveries to all endpoints went',
    description: `${WHEN}At most 1,000 intervals are told. Endpoints that were deleted since count.`,
    handle: async (ctx, { query }) => findMetrics(ctx, null, query),
  }),
  endpoint({
    id: 'get_event_delivery_metric',
    method: 'GET',
    path: `${TEAM_PATH}/event_delivery_metric`,
    tag,
    auth,
    scope: 'team',
    params: ofTeam,
    query: EventDeliveryQuery,
    response: PrometheusMatrix,
    summary: 'Read how events were delivered, as Prometheus answers',
    description:
      'Attempts to deliver to all endpoints of the team, by outcome, and how long they took, up to now: a day by 5 minutes, ' +
      '3 days by 15 minutes, 7 days by hours or 30 days.',
    handle: async (ctx, { query }) => findEventDelivery(ctx, query.interval),
  }),
];
