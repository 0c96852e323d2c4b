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
import { millisecondsOf } from '../../wire/moment.ts';
import type { Requirement } from '../../wire/rules.ts';
import { shape } from '../../wire/shape.ts';

const STATUS =
  'succeeded: the response had a 2xx status. failed: it had not, and the delivery is repeated. exhausted: it had ' +
  'not, and the delivery was given up.';
const NEXT =
  'The planned time of the next attempt, as it stands now. Null when this is not the last attempt, when no ' +
  'attempt follows, and while the endpoint is disabled or the user of the event is scheduled for deletion.';

const IN_ORDER: Requirement = {
  words: '`since` is not after `until`.',
  check: ({ since, until }) =>
    typeof since === 'string' && typeof until === 'string' && millisecondsOf(since) > millisecondsOf(until)
      ? [{ at: ['since'], type: 'value_error', msg: 'Value should not be after until' }]
      : [],
};

export const AttemptQuery = Type.Object(
  {
    status: Type.Optional(
      Type.Array(WordFilter(), {
        maxItems: 10,
        description: 'Attempts with this result: succeeded, failed, exhausted.',
      }),
    ),
    event_type: Type.Optional(WordFilter({ description: 'Attempts to deliver events of this name.' })),
    since: Type.Optional(Type.Unsafe<string>({ ...LowerBound, description: 'Attempts that ended then or later.' })),
    until: Type.Optional(Type.Unsafe<string>({ ...UpperBound, description: 'Attempts that ended then or before.' })),
    next_cursor: Type.Optional(Cursor()),
    limit: withDefault(Type.Integer({ minimum: 1, maximum: 100 }), 50),
  },
  { fulfils: IN_ORDER },
);

const summary = {
  id: Uuid,
  webhook_id: Uuid,
  event_id: Uuid,
  event_type: Type.String(),
  attempt: Type.Integer({
    description: 'The number of this attempt of the delivery. The first is 1, whatever caused it.',
  }),
  trigger: oneOf(['schedule', 'resend', 'replay', 'test'], {
    description:
      'The cause of the attempt: the schedule of retries, a resend, a replay, or a test of the endpoint, also ' +
      'when the test was sent again.',
  }),
  status: oneOf(['succeeded', 'failed', 'exhausted'], { description: STATUS }),
  http_status: nullable(Type.Integer({ description: 'The status of the response. Null when none came.' })),
  error: nullable(
    Type.String({
      description: 'Why there is no usable response, as timeout, dns or address_refused. Null when there is one.',
    }),
  ),
  duration_ms: Type.Integer({ description: 'Milliseconds from the look-up of the name to the end of the response.' }),
  next_attempt_at: nullable(Type.Unsafe<string>({ ...Timestamp, description: NEXT })),
  created_at: Type.Unsafe<string>({ ...Timestamp, description: 'When the attempt ended, UTC.' }),
};

export const AttemptSummary = shape('AttemptSummary', summary);

export const Attempt = shape('Attempt', {
  ...summary,
  sent_at: nullable(
    Type.Unsafe<string>({
      ...Timestamp,
      description: 'When the headers were made, UTC. Null when the attempt ended before.',
    }),
  ),
  url: nullable(
    Type.String({
      description:
        'The URL that this attempt was sent to, also after the endpoint got another one. Null when nothing was sent, ' +
        'or when we no longer store that URL.',
    }),
  ),
  request_headers: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'The headers that this attempt sent, except Host and Content-Length.',
  }),
  sensitive: nullable(
    Type.Array(Type.String(), {
      description:
        'The names of further headers whose values are secrets, which we never return. Null when we no longer ' +
        'store the headers that the endpoint had then.',
    }),
  ),
  response_body: nullable(
    Type.String({ description: 'The first 16 KiB of the response as text. Null when there was none.' }),
  ),
});

export const AttemptPage = shape('AttemptPage', {
  data: Type.Array(AttemptSummary, { description: 'The newest first.' }),
  next_cursor: nullable(
    Type.String({
      description:
        'The cursor of the next page. Null on the last page. A page reads at most 1,000 attempts, so a filtered ' +
        'page may have few or no entries although more follow.',
    }),
  ),
});

export const WaitingDelivery = shape('WaitingDelivery', {
  webhook_id: Uuid,
  event_id: Uuid,
  attempts: Type.Integer({ description: 'The attempts so far.' }),
  status: oneOf(['queued', 'scheduled', 'paused', 'held'], {
    description:
      'queued: as soon as possible. scheduled: at next_attempt_at. paused: when the endpoint is enabled. held: ' +
      'if the deletion of the user of the event is taken back.',
  }),
  next_attempt_at: nullable(
    Type.Unsafe<string>({
      ...Timestamp,
      description: 'The earliest time of the next attempt. Null when it is not known, or is now.',
    }),
  ),
});

export const EventAttempts = shape('EventAttempts', {
  event_id: Uuid,
  event_type: Type.String(),
  waiting: Type.Array(WaitingDelivery, { description: 'Deliveries of the event that are still to be made.' }),
  ...AttemptPage.properties,
});

export const SentTest = shape('SentTest', {
  event_id: Type.Unsafe<string>({
    ...Uuid,
    description: 'The id of the example. GET …/event/{event_id}/attempt shows the attempts.',
  }),
  event_type: Type.String(),
});

export const SentEvent = shape('SentEvent', {
  id: Uuid,
  event_type: Type.String(),
  user_id: nullable(Uuid),
  created_at: Timestamp,
  body: nullable(
    Type.String({
      description:
        'The text that every attempt signs and sends, byte by byte: JSON in a string. The change feed has it as ' +
        'an object. Null when the stored body cannot be opened.',
    }),
  ),
});
