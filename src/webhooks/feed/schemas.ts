import { Type } from 'typebox';
import { WantedTypes } from '../../events/filter.ts';
import { ORIGINS } from '../../events/origin.ts';
import { nullable, oneOf, Timestamp, Uuid, withDefault } from '../../wire/schema.ts';
import { firstMoment, pastMoment } from '../../wire/moment.ts';
import type { Requirement } from '../../wire/rules.ts';
import { LONGEST_CURSOR } from './cursor.ts';
import { shape } from '../../wire/shape.ts';

/** The longest wait in seconds. It is short enough that a proxy usually does not cut the waiting request. */
const LONGEST_WAIT_SECONDS = 30;

/** Checks a time in `after`. Cursors begin with a letter, because they are base64 of a list. */
const TIME_IS_PAST: Requirement = {
  words: 'A time in `after` is a date and time as ISO 8601, at most 5 minutes ahead.',
  check: ({ after }) => {
    if (typeof after !== 'string' || !/^\d/.test(after) || pastMoment(after) !== null) return [];
    return firstMoment(after) === null
      ? [{ at: ['after'], type: 'datetime_parsing', msg: 'Input should be a date and time as ISO 8601' }]
      : [{ at: ['after'], type: 'datetime_parsing', msg: 'Value should not be in the future' }];
  },
};

export const FeedQuery = Type.Object(
  {
    after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LONGEST_CURSOR,
        description:
          '`next_cursor` of the page before; or a time (ISO 8601, without an offset UTC, a + is written %2B) for the ' +
          'events since then, and perhaps some from shortly before it; or `now` for events from now on. Without it ' +
          'the feed starts from the oldest stored event.',
      }),
    ),
    limit: withDefault(Type.Integer({ minimum: 1, maximum: 250 }), 50),
    event_type: Type.Optional(WantedTypes('every type except the operational ones, which you get only by name.')),
    user_id: Type.Optional({
      ...Uuid,
      description: 'Only events about this user. Default: about every user and none.',
    }),
    wait: withDefault(
      Type.Integer({
        minimum: 0,
        maximum: LONGEST_WAIT_SECONDS,
        description: 'Seconds to wait for an event when there is none yet. The response comes with the event.',
      }),
      0,
    ),
  },
  { fulfils: TIME_IS_PAST },
);

const anything = { items: {}, additionalProperties: {} };

/** The body that a webhook sends. Each event type has its own schema of `data`. */
const EventBody = shape(
  'EventBody',
  {
    event_type: Type.String(),
    data: Type.Unsafe<object>({
      type: ['object', 'array'],
      ...anything,
      description: 'The data of the event. GET /v2/event_types has the JSON Schema of each type.',
    }),
    team_id: Uuid,
    user_id: nullable(Uuid),
    client_user_id: nullable(Type.String()),
  },
  { additionalProperties: {} },
);

const FeedEvent = shape('FeedEvent', {
  id: Type.String({ format: 'uuid', description: 'The `webhook-id` of its deliveries.' }),
  event_type: Type.String(),
  created_at: Timestamp,
  team_id: Uuid,
  user_id: nullable(Uuid),
  client_user_id: nullable(Type.String()),
  origin: nullable(
    oneOf(ORIGINS, {
      description:
        'How the data came, as in `phial-origin` of its deliveries. Null for all types except `daily.data.*`.',
    }),
  ),
  body: Type.Unsafe<Record<string, unknown> | null>({
    ...nullable(EventBody),
    description:
      'The body that webhooks send, as an object. GET …/event/{event_id} of the management API has it as the ' +
      'text that is signed. Null when the stored body cannot be opened.',
  }),
});

export const FeedPage = shape('FeedPage', {
  data: Type.Array(FeedEvent, { description: 'In the order of commits.' }),
  next_cursor: Type.String({
    description: 'The cursor with which to continue. It is always present, also on an empty page.',
  }),
  has_more: Type.Boolean({
    description: 'Whether to continue at once. A page may be shorter than its limit, or empty.',
  }),
});
