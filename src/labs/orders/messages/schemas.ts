import { Type } from 'typebox';
import { LowerBound, nullable, optional, Timestamp, UpperBound, Uuid } from '../../../wire/schema.ts';
import { shape } from '../../../wire/shape.ts';

const DAY_MS = 86_400_000;
const MAX_DAYS = 60;
const MAX_NAMED = 1_000;

type Breach = { at: string[]; type: string; msg: string };

function breaches({ order_ids, start_at, end_at }: Record<string, unknown>): Breach[] {
  const isNamed = Array.isArray(order_ids);
  const hasWindow = typeof start_at === 'string' || typeof end_at === 'string';
  if (isNamed === hasWindow) {
    return [
      { at: [], type: isNamed ? 'value_error' : 'missing', msg: 'Either order_ids or start_at and end_at are needed' },
    ];
  }
  if (isNamed) return [];
  if (typeof start_at !== 'string')
    return [{ at: ['start_at'], type: 'missing', msg: 'Field required together with end_at' }];
  if (typeof end_at !== 'string')
    return [{ at: ['end_at'], type: 'missing', msg: 'Field required together with start_at' }];
  const length = Date.parse(end_at) - Date.parse(start_at);
  if (length < 0) return [{ at: ['end_at'], type: 'value_error', msg: 'Value should not be before start_at' }];
  if (length <= MAX_DAYS * DAY_MS) return [];
  return [{ at: ['end_at'], type: 'value_error', msg: `Value should be at most ${MAX_DAYS} days after start_at` }];
}

export const ResendInput = shape(
  'ResendInput',
  {
    order_ids: optional(
      Type.Array(Uuid, {
        minItems: 1,
        maxItems: MAX_NAMED,
        description: 'All events of these orders are sent again.',
      }),
    ),
    start_at: optional(LowerBound),
    end_at: optional(UpperBound),
  },
  {
    fulfils: {
      check: breaches,
      words: `Either order_ids, or start_at and end_at with at most ${MAX_DAYS} days between them.`,
    },
  },
);
export const ResendAnswer = shape('ResendAnswer', {
  order_ids: Type.Array(Uuid, { description: 'The orders whose events are sent again.' }),
});

const SmsEnabled = Type.Boolean({
  description: 'Whether text messages may be sent to the patient. true until it is set.',
});
export const CommunicationSettingsPatch = shape('CommunicationSettingsPatch', { sms_enabled: SmsEnabled });
export const CommunicationSettings = shape('CommunicationSettings', { order_id: Uuid, sms_enabled: SmsEnabled });

const PublishedEvent = shape('PublishedEvent', {
  id: Type.String({ description: 'The id of the event, which webhooks send as webhook-id.' }),
  event_type: Type.String(),
  created_at: Timestamp,
  order_event_id: nullable(
    Type.Integer({ description: 'The id of the order event (a status) that this event reports. Null for others.' }),
  ),
  status: nullable(Type.String({ description: 'The status that the order got, as in its events. Null for others.' })),
});
export const OrderEventPage = shape('OrderEventPage', {
  order_id: Uuid,
  events: Type.Array(PublishedEvent, { description: 'The newest first. At most 500.' }),
});
