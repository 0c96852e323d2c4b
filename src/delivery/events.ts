import { Type } from 'typebox';
import { defineEvent } from '../events/define.ts';
import { nullable, oneOf, Timestamp, Uuid } from '../wire/schema.ts';

export const attemptExhausted = defineEvent({
  name: 'message.attempt.exhausted',
  summary: 'A delivery was given up after its last attempt.',
  data: Type.Object({
    endpoint_id: Uuid,
    message_id: Uuid,
    event_type: Type.String(),
    attempts: Type.Integer(),
    last_status: nullable(Type.Integer({ description: 'HTTP status of the last answer.' })),
    last_error: nullable(Type.String()),
  }),
});

export const endpointDisabled = defineEvent({
  name: 'endpoint.disabled',
  summary: 'An endpoint was disabled by the service. Its deliveries wait until it is enabled.',
  data: Type.Object({
    endpoint_id: Uuid,
    reason: oneOf(['gone', 'failing'], { description: 'gone: it answered 410; failing: only failures for 5 days' }),
    failing_since: nullable(Timestamp),
  }),
});
