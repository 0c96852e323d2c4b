import { Type } from 'typebox';
import { operation } from '../../../operation/operation.ts';
import { Uuid } from '../../../wire/schema.ts';
import { requestResend } from './ask-to-resend.ts';
import { readCommunicationSettings, setCommunicationSettings } from './communication-settings.ts';
import { findPublishedEvents } from './find-published.ts';
import {
  CommunicationSettings,
  CommunicationSettingsPatch,
  OrderEventPage,
  ResendAnswer,
  ResendInput,
} from './schemas.ts';

const tag = 'orders';
const params = Type.Object({ order_id: Uuid });
const WHAT =
  'The setting is stored with the order for those who send messages to its patient. This service itself ' +
  'sends no text messages, so the setting changes nothing that the service sends. Webhooks are sent in ' +
  'any case.';

export const messageOperations = [
  operation({
    id: 'list_events_of_order',
    method: 'GET',
    path: '/v3/order/{order_id}/event',
    tag,
    params,
    response: OrderEventPage,
    summary: 'List the events that were published about an order',
    description:
      'Events about the order, its appointments and its critical results that are still stored, whether or not a ' +
      'webhook sends them. The management operations about an event show its attempts. If the kit was bound to ' +
      'another user, the events before that are not shown.',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { params: { order_id } }) => findPublishedEvents(ctx, order_id),
  }),
  operation({
    id: 'resend_order_events',
    method: 'POST',
    path: '/v3/order/resend_events',
    tag,
    body: ResendInput,
    response: ResendAnswer,
    summary: 'Send the events of orders again',
    description:
      'Sends every event of the orders and their critical results, or those in the window, again in the ' +
      'background, to the endpoints that subscribe to them now. Each is a new message with an id of its ' +
      'own, so an endpoint that ignores messages with known ids accepts it. Its data is the order as it was' +
      ' right after that status: of two versions, keep the one with the newer updated_at. If you request it' +
      ' twice, the events are sent twice. A window may hold at most 10,000 orders, and ten requests may ' +
      'wait. For a window, orders of users who are scheduled for deletion are skipped.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'too_many_matches', 'limit_reached'],
    handle: (ctx, { body }) => requestResend(ctx, body),
  }),
  operation({
    id: 'get_order_communication_settings',
    method: 'GET',
    path: '/v3/order/{order_id}/communication_settings',
    tag,
    params,
    response: CommunicationSettings,
    summary: "Read which messages may be sent to an order's patient",
    description: WHAT,
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { params: { order_id } }) => readCommunicationSettings(ctx, order_id),
  }),
  operation({
    id: 'patch_order_communication_settings',
    method: 'PATCH',
    path: '/v3/order/{order_id}/communication_settings',
    tag,
    params,
    body: CommunicationSettingsPatch,
    response: CommunicationSettings,
    summary: "Set which messages may be sent to an order's patient",
    description: WHAT,
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { params: { order_id }, body }) => setCommunicationSettings(ctx, order_id, body),
  }),
];
