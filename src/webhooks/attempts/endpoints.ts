import { Type, type Static } from 'typebox';
import { endpoint, type Endpoint } from '../../http/endpoint.ts';
import { ofTeam, TEAM_PATH } from '../../tenancy/places.ts';
import { oneOf, Uuid } from '../../wire/schema.ts';
import type { EventTypeDescription } from '../event-types/schemas.ts';
import { ofWebhook, WEBHOOK_PATH } from '../places.ts';
import { findEvent } from './find-event.ts';
import { findAttempt } from './find.ts';
import { listAttemptsOfEvent } from './list-of-event.ts';
import { listAttempts } from './list.ts';
import { resend } from './resend.ts';
import { sendTest } from './send-test.ts';
import { Attempt, AttemptPage, AttemptQuery, EventAttempts, SentEvent, SentTest, WaitingDelivery } from './schemas.ts';

const tag = 'webhooks';
const auth = 'management_key';
const event = `${TEAM_PATH}/event/{event_id}`;
const ofEvent = Type.Object({ ...ofTeam.properties, event_id: Uuid });
const ofAttempt = Type.Object({ ...ofWebhook.properties, attempt_id: Uuid });
const ofDelivery = Type.Object({ ...ofWebhook.properties, event_id: Uuid });

/** What was delivered, what was not, and why. */
export const attemptEndpoints = [
  endpoint({
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
      'The newest first, as long as the event that each was about is kept. An unknown status or event type matches nothing.',
    refusals: ['not_found', 'invalid_cursor'],
    handle: async (ctx, { params, query }) => listAttempts(ctx, params.webhook_id, filtersOf(query)),
  }),
  endpoint({
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
      'With the headers that it sent and the beginning of the answer. Of headers whose names speak of keys, tokens and the ' +
      'like only the names are kept. What an address that this deployment does not send to would have answered is not known: ' +
      'nothing is ever sent to it.',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: async (ctx, { params }) => findAttempt(ctx, params.webhook_id, params.attempt_id),
  }),
  endpoint({
    id: 'get_event',
    method: 'GET',
    path: event,
    tag,
    auth,
    scope: 'team',
    params: ofEvent,
    response: SentEvent,
    summary: 'Read an event as it is sent',
    description: 'By the webhook-id of a delivery, as long as events are kept.',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: async (ctx, { params }) => findEvent(ctx, params.event_id),
  }),
  endpoint({
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
    description: 'To all endpoints, also those that were deleted since, and what of it still waits.',
    refusals: ['not_found', 'invalid_cursor'],
    handle: async (ctx, { params, query }) => listAttemptsOfEvent(ctx, params.event_id, filtersOf(query)),
  }),
];

/** The wings above know what is told: they give the catalogue, and the names in it. */
export const sendingEndpoints = (names: string[], catalogue: () => { data: EventTypeDescription[] }): Endpoint[] => [
  endpoint({
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
      'Whatever became of it there, also where it was never sent there. It is sent at once; a retry that waits is made now ' +
      'instead of later, and its schedule goes on where it fails. While an attempt is under way, one more is made behind it. Where the delivery had succeeded or was given up, one attempt ' +
      'is made, and no other follows. Attempts go on being counted.',
    refusals: ['not_found', 'webhook_disabled', 'event_expired', 'delivery_held', 'too_many_attempts'],
    handle: async (ctx, { params }) => resend(ctx, params.webhook_id, params.event_id),
  }),
  endpoint({
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
      'The example of the event type in the catalogue, with `test: true` in its body, signed as any event; once, and whatever ' +
      'the endpoint subscribes to. It tells of an invented user, and the change feed does not have it. The url is checked ' +
      'as when it was saved.',
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
