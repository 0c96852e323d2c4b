import { Type, type Static } from 'typebox';
import { operation, type Operation } from '../../operation/operation.ts';
import { ofTeam, TEAM_PATH } from '../../tenancy/team-paths.ts';
import { oneOf, Uuid } from '../../wire/schema.ts';
import type { EventTypeDescription } from '../event-types/schemas.ts';
import { ofWebhook, WEBHOOK_PATH } from '../webhook-path.ts';
import { findEvent } from './find-event.ts';
import { findAttempt } from './find.ts';
import { listAttemptsOfEvent } from './list-of-event.ts';
import { listAttempts } from './list.ts';
import { resend } from './resend-event.ts';
import { sendTest } from './send-test.ts';
import { Attempt, AttemptPage, AttemptQuery, EventAttempts, SentEvent, SentTest, WaitingDelivery } from './schemas.ts';

const tag = 'webhooks';
const auth = 'management_key';
const event = `${TEAM_PATH}/event/{event_id}`;
const ofEvent = Type.Object({ ...ofTeam.properties, event_id: Uuid });
const ofAttempt = Type.Object({ ...ofWebhook.properties, attempt_id: Uuid });
const ofDelivery = Type.Object({ ...ofWebhook.properties, event_id: Uuid });

/** The operations that read the log of attempts and the stored events. */
export const attemptOperations = [
  operation({
    id: 'list_webhook_attempts',
    method: 'GET',
    path: `${WEBHOOK_PATH}/attempt`,
    tag,
    auth,
    scope: 'team',
    params: ofWebhook,
    query: AttemptQuery,
    response: AttemptPage,
    summary: 'List the attempts to deliver to an endpoint',
    description:
      'The newest first, as long as their events are stored. An unknown status or event type matches nothing.',
    refusals: ['not_found', 'invalid_cursor'],
    handle: async (ctx, { params, query }) => listAttempts(ctx, params.webhook_id, filtersOf(query)),
  }),
  operation({
    id: 'get_webhook_attempt',
    method: 'GET',
    path: `${WEBHOOK_PATH}/attempt/{attempt_id}`,
    tag,
    auth,
    scope: 'team',
    params: ofAttempt,
    response: Attempt,
    summary: 'Read an attempt',
    description:
      'With the headers that we sent and the beginning of the response. We store only the names of headers that ' +
      'suggest keys, tokens and the like. For a refused address there is no response, because we send nothing to ' +
      'it.',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: async (ctx, { params }) => findAttempt(ctx, params.webhook_id, params.attempt_id),
  }),
  operation({
    id: 'get_event',
    method: 'GET',
    path: event,
    tag,
    auth,
    scope: 'team',
    params: ofEvent,
    response: SentEvent,
    summary: 'Read an event',
    description:
      'An event by the webhook-id of its delivery, with the body that is sent, as long as events are stored.',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: async (ctx, { params }) => findEvent(ctx, params.event_id),
  }),
  operation({
    id: 'list_event_attempts',
    method: 'GET',
    path: `${event}/attempt`,
    tag,
    auth,
    scope: 'team',
    params: ofEvent,
    query: AttemptQuery,
    response: EventAttempts,
    summary: 'List the attempts to deliver an event',
    description: 'Attempts at all endpoints, also at deleted ones, and the deliveries that still wait.',
    refusals: ['not_found', 'invalid_cursor'],
    handle: async (ctx, { params, query }) => listAttemptsOfEvent(ctx, params.event_id, filtersOf(query)),
  }),
];

/**
 * The operations that send events. This module may not import the modules that define event types, so the caller passes
 * the names of the types and the catalogue.
 */
export const sendingOperations = (names: string[], catalogue: () => { data: EventTypeDescription[] }): Operation[] => [
  operation({
    id: 'resend_event',
    method: 'POST',
    path: `${WEBHOOK_PATH}/event/{event_id}/resend`,
    tag,
    auth,
    scope: 'team',
    params: ofDelivery,
    response: WaitingDelivery,
    summary: 'Send an event to an endpoint again',
    description:
      'Sends the event at once, whatever the result of earlier attempts, also when it was never sent to this ' +
      'endpoint. A retry that waits is made now, and if it fails its schedule continues. While an attempt is ' +
      'under way, one more follows it. When the delivery had succeeded or was given up, one attempt is made and ' +
      'no retry follows. Attempts are counted on.',
    refusals: ['not_found', 'webhook_disabled', 'event_expired', 'delivery_held', 'too_many_attempts'],
    handle: async (ctx, { params }) => resend(ctx, params.webhook_id, params.event_id),
  }),
  operation({
    id: 'test_webhook',
    method: 'POST',
    path: `${WEBHOOK_PATH}/test`,
    tag,
    auth,
    scope: 'team',
    params: ofWebhook,
    body: Type.Object({ event_type: oneOf(names) }),
    response: SentTest,
    summary: 'Send an example to an endpoint',
    description:
      'Sends the example of the event type in the catalogue, signed like any event, with `test: true` in its ' +
      'body. It is sent once, whatever the endpoint subscribes to. Its user is invented, and the change feed ' +
      'does not contain it. The url is checked as when it was saved.',
    refusals: ['not_found', 'webhook_disabled', 'webhook_url_refused', 'webhook_address_refused'],
    handle: async (ctx, { params, body }) => {
      const type = catalogue().data.find(({ name }) => name === body.event_type);
      return sendTest(ctx, params.webhook_id, type as EventTypeDescription);
    },
  }),
];

const filtersOf = ({ status, event_type, since, until, next_cursor, limit }: Static<typeof AttemptQuery>) => ({
  status: status ?? null,
  event_type: event_type ?? null,
  since: since ?? null,
  until: until ?? null,
  next_cursor: next_cursor ?? null,
  limit,
});
