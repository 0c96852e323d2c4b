import { Type } from 'typebox';
import { WantedTypes } from '../../events/filter.ts';
import { ORIGINS } from '../../events/origin.ts';
import { nullable, oneOf, Timestamp, Uuid, withDefault } from '../../wire/schema.ts';
import { LONGEST_CURSOR } from './cursor.ts';

/** Below what proxies usually wait for an answer. */
const LONGEST_WAIT_SECONDS = 30;

export const FeedQuery = Type.Object({
  after: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LONGEST_CURSOR,
      description:
        '`next_cursor` of the page before, or `now`: only what happens from now on. Left out: from the oldest event that is kept.',
    }),
  ),
  limit: withDefault(Type.Integer({ minimum: 1, maximum: 250 }), 50),
  event_type: Type.Optional(WantedTypes('every type but the operational ones, which are told only to who names them.')),
  wait: withDefault(
    Type.Integer({
      minimum: 0,
      maximum: LONGEST_WAIT_SECONDS,
      description: 'Seconds to wait for an event where there is none yet: the answer comes with it.',
    }),
    0,
  ),
});

const anything = { items: {}, additionalProperties: {} };

/** What a webhook sends, as it is; each type of event has its own shape of `data`. */
export const EventBody = Type.Object(
  {
    event_type: Type.String(),
    data: Type.Unsafe<object>({
      type: ['object', 'array'],
      ...anything,
      description: 'What the event tells of: GET /v2/event_types has the JSON Schema of each type.',
    }),
    team_id: Uuid,
    user_id: nullable(Uuid),
    client_user_id: nullable(Type.String()),
  },
  { additionalProperties: {} },
);

export const FeedEvent = Type.Object({
  id: Type.String({ format: 'uuid', description: 'The same as `webhook-id` of its deliveries.' }),
  event_type: Type.String(),
  created_at: Timestamp,
  team_id: Uuid,
  user_id: nullable(Uuid),
  client_user_id: nullable(Type.String()),
  origin: nullable(
    oneOf(ORIGINS, {
      description:
        'How the data came that it tells of, as `phial-origin` of its deliveries; null of all but `daily.data.*`.',
    }),
  ),
  body: Type.Unsafe<Record<string, unknown> | null>({
    ...nullable(EventBody),
    description:
      'The body that webhooks send, as an object; the management API has it at GET …/event/{event_id} as the text that is signed. ' +
      'Null where what is stored cannot be opened.',
  }),
});

export const FeedPage = Type.Object({
  data: Type.Array(FeedEvent, { description: 'In the order in which they were committed.' }),
  next_cursor: Type.String({ description: 'Where to go on, always: also of an empty page.' }),
  has_more: Type.Boolean({
    description: 'Whether to go on at once; a page may be short of its limit, or empty, all the same.',
  }),
});
