import { Type } from 'typebox';
import { endpoint } from '../../../http/endpoint.ts';
import { Uuid } from '../../../wire/schema.ts';
import { askToResend } from './ask-to-resend.ts';
import { readCommunicationSettings, setCommunicationSettings } from './communication-settings.ts';
import { CommunicationSettings, CommunicationSettingsPatch, ResendAnswer, ResendInput } from './schemas.ts';

const tag = 'orders';
const params = Type.Object({ order_id: Uuid });
const WHAT =
  'The setting is kept with the order for whoever writes to its patient. This service sends no text messages itself, so it ' +
  'governs nothing of what the service sends; webhooks are sent either way.';

export const messageEndpoints = [
  endpoint({
    id: 'resend_order_events',
    method: 'POST',
    path: '/v3/order/resend_events',
    tag,
    body: ResendInput,
    response: ResendAnswer,
    summary: 'Send the events of orders again',
    description:
      'Every event of the orders, or those of the window, is sent in the background to the endpoints that want it now, as a new ' +
      'message with an id of its own: a receiver that knows messages by their ids takes it. Its data is the order as it was right ' +
      'after that status, so of two versions keep the newer by updated_at. Asked for twice, they are sent twice. At most 10,000 ' +
      'orders in a window, and ten requests that wait. Of a window, orders of users who are scheduled for deletion are passed over.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'too_many_matches', 'limit_reached'],
    handle: (ctx, { body }) => askToResend(ctx, body),
  }),
  endpoint({
    id: 'get_order_communication_settings',
    method: 'GET',
    path: '/v3/order/{order_id}/communication_settings',
    tag,
    params,
    response: CommunicationSettings,
    summary: "Read how an order's patient may be written to",
    description: WHAT,
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { params: { order_id } }) => readCommunicationSettings(ctx, order_id),
  }),
  endpoint({
    id: 'patch_order_communication_settings',
    method: 'PATCH',
    path: '/v3/order/{order_id}/communication_settings',
    tag,
    params,
    body: CommunicationSettingsPatch,
    response: CommunicationSettings,
    summary: "Set how an order's patient may be written to",
    description: WHAT,
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { params: { order_id }, body }) => setCommunicationSettings(ctx, order_id, body),
  }),
];
