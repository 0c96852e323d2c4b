import { operation } from '../../operation/operation.ts';
import { ofTeam, TEAM_PATH } from '../../tenancy/team-paths.ts';
import { ofWebhook, WEBHOOK_PATH } from '../webhook-path.ts';
import { findMetrics } from './find.ts';
import { findEventDelivery } from './prometheus.ts';
import { EventDeliveryQuery, MetricsQuery, PrometheusMatrix, WebhookMetrics } from './schemas.ts';

const tag = 'webhooks';
const auth = 'management_key';
const WHEN =
  'Counts are written every ten seconds and stored as long as attempts are. When a process is killed, its last ' +
  'seconds are lost. ';

export const webhookMetricsOperations = [
  operation({
    id: 'get_webhook_metrics',
    method: 'GET',
    path: `${WEBHOOK_PATH}/metrics`,
    tag,
    auth,
    scope: 'team',
    params: ofWebhook,
    query: MetricsQuery,
    response: WebhookMetrics,
    summary: 'Read the figures of deliveries to an endpoint',
    description: `${WHEN}The response has at most 1,000 intervals.`,
    refusals: ['not_found'],
    handle: async (ctx, { params: { webhook_id }, query }) => findMetrics(ctx, webhook_id, query),
  }),
  operation({
    id: 'get_team_webhook_metrics',
    method: 'GET',
    path: `${TEAM_PATH}/webhook_metrics`,
    tag,
    auth,
    scope: 'team',
    params: ofTeam,
    query: MetricsQuery,
    response: WebhookMetrics,
    summary: 'Read the figures of deliveries to all endpoints',
    description: `${WHEN}The response has at most 1,000 intervals. Deleted endpoints count too.`,
    handle: async (ctx, { query }) => findMetrics(ctx, null, query),
  }),
  operation({
    id: 'get_event_delivery_metric',
    method: 'GET',
    path: `${TEAM_PATH}/event_delivery_metric`,
    tag,
    auth,
    scope: 'team',
    params: ofTeam,
    query: EventDeliveryQuery,
    response: PrometheusMatrix,
    summary: 'Read the figures of deliveries in the format of Prometheus',
    description:
      'Attempts at all endpoints of the team by outcome, and their durations, up to now: a day in steps of 5 ' +
      'minutes, 3 days in steps of 15 minutes, 7 days in hours, or 30 days.',
    handle: async (ctx, { query }) => findEventDelivery(ctx, query.interval),
  }),
];
