import { Type, type Static } from 'typebox';
import { WantedTypes } from '../../events/filter.ts';

const AnyObject = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: {}, description });

export const EventTypeDescription = Type.Object({
  name: Type.String({ description: 'Name of the event: `event_type` of its body.' }),
  summary: Type.String({ description: 'When it is told.' }),
  operational: Type.Boolean({
    description: 'Whether it tells of webhooks rather than of users: only who names it is told of it.',
  }),
  schema: AnyObject('JSON Schema (2020-12) of the body; it refers to nothing outside.'),
  example: AnyObject('A body as the schema allows it. Whom it names is invented.'),
});
export type EventTypeDescription = Static<typeof EventTypeDescription>;

export const EventTypeList = Type.Object({
  data: Type.Array(EventTypeDescription, { description: 'In the order of the documentation.' }),
});

export const EventTypeQuery = Type.Object({
  event_type: Type.Optional(WantedTypes('all.')),
});
