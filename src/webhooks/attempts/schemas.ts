import { Type } from 'typebox';
import {
  Cursor,
  LowerBound,
  nullable,
  oneOf,
  Timestamp,
  UpperBound,
  Uuid,
  WordFilter,
  withDefault,
} from '../../wire/schema.ts';

const STATUS =
  'succeeded: it was answered with a 2xx status. failed: it was not, and the delivery is made again. exhausted: it was ' +
  'not, and the delivery was given up with it.';
const NEXT =
  'When the delivery is made again, as it stands now; null where this was not its last attempt, where no other follows, and ' +
  'as long as the endpoint is disabled or the user whom the event tells of is scheduled for deletion.';

export const AttemptQuery = Type.Object({
  status: Type.Optional(
    Type.Array(WordFilter(), { maxItems: 10, description: 'Attempts that ended so: succeeded, failed, exhausted.' }),
  ),
  event_type: Type.Optional(WordFilter({ description: 'Attempts to deliver events of this name.' })),
  since: Type.Optional(Type.Unsafe<string>({ ...LowerBound, description: 'Attempts that ended then or later.' })),
  until: Type.Optional(Type.Unsafe<string>({ ...UpperBound, description: 'Attempts that ended then or before.' })),
  next_cursor: Type.Optional(Cursor()),
  limit: withDefault(Type.Integer({ minimum: 1, maximum: 100 }), 50),
});

const summary = {
  id: Uuid,
  webhook_id: Uuid,
  event_id: Uuid,
  event_type: Type.String(),
  attempt: Type.Integer({
    description: 'Which attempt of this delivery it was; the first is 1, however it was asked for.',
  }),
  trigger: oneOf(['schedule', 'resend', 'replay', 'test'], {
    description:
      'Who asked for it: the schedule of attempts, a resend, a replay, or a test of the endpoint, also where that was sent again.',
  }),
  status: oneOf(['succeeded', 'failed', 'exhausted'], { description: STATUS }),
  http_status: nullable(Type.Integer({ description: 'Status of the answer; null where none came.' })),
  error: nullable(
    Type.String({
      description: 'Why there is no usable answer, as timeout, dns or address_refused; null where there is one.',
    }),
  ),
  duration_ms: Type.Integer({ description: 'From looking up the name to the end of the answer, in milliseconds.' }),
  next_attempt_at: nullable(Type.Unsafe<string>({ ...Timestamp, description: NEXT })),
  created_at: Type.Unsafe<string>({ ...Timestamp, description: 'When it had ended, UTC.' }),
};

export const AttemptSummary = Type.Object(summary);

export const Attempt = Type.Object({
  ...summary,
  sent_at: nullable(
    Type.Unsafe<string>({
      ...Timestamp,
      description: 'When its headers were made, UTC; null where it did not come to that.',
    }),
  ),
  request_headers: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'The headers of this attempt as they were, but for Host and Content-Length.',
  }),
  sensitive: nullable(
    Type.Array(Type.String(), {
      description:
        'Names of the further headers it had whose values are secrets and never answered; null where the headers of the ' +
        'endpoint at that time are not kept any more.',
    }),
  ),
  response_body: nullable(
    Type.String({ description: 'The first 16 KiB of the answer as text; null where there was none.' }),
  ),
});

export const AttemptPage = Type.Object({
  data: Type.Array(AttemptSummary, { description: 'The newest first.' }),
  next_cursor: nullable(
    Type.String({
      description:
        'Where the next page begins; null on the last one. A page goes through 1,000 attempts at most, so one that is ' +
        'filtered may hold few or none with more behind it.',
    }),
  ),
});

export const WaitingDelivery = Type.Object({
  webhook_id: Uuid,
  event_id: Uuid,
  attempts: Type.Integer({ description: 'Attempts made so far.' }),
  status: oneOf(['queued', 'scheduled', 'paused', 'held'], {
    description:
      'queued: it is made as soon as its turn comes. scheduled: at next_attempt_at. paused: when the endpoint is enabled. ' +
      'held: if the deletion of the user whom the event tells of is taken back.',
  }),
  next_attempt_at: nullable(
    Type.Unsafe<string>({
      ...Timestamp,
      description: 'Not before this time; null where that is not known, or is now.',
    }),
  ),
});

export const EventAttempts = Type.Object({
  event_id: Uuid,
  event_type: Type.String(),
  waiting: Type.Array(WaitingDelivery, { description: 'Deliveries of the event that are still to be made.' }),
  ...AttemptPage.properties,
});

export const SentTest = Type.Object({
  event_id: Type.Unsafe<string>({
    ...Uuid,
    description: 'Of the example: GET …/event/{event_id}/attempt tells how it went.',
  }),
  event_type: Type.String(),
});

export const SentEvent = Type.Object({
  id: Uuid,
  event_type: Type.String(),
  user_id: nullable(Uuid),
  created_at: Timestamp,
  body: nullable(
    Type.String({
      description:
        'The text that every attempt signs and sends, byte by byte: JSON within a string, which the change feed has as an object. ' +
        'Null where what is stored cannot be opened.',
    }),
  ),
});
