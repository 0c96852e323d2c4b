import { Type, type Static } from 'typebox';
import { WantedTypes } from '../../events/filter.ts';
import { shape } from '../../wire/shape.ts';

const AnyObject = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: {}, description });

export const EventTypeDescription = shape('EventTypeDescription', {
  name: Type.String({ description: 'Name of the event: `event_type` of its body.' }),
  summary: Type.String({ description: 'When the event is published.' }),
  operational: Type.Boolean({
    description:
      'Whether the event is about webhooks and not about users. Only endpoints and readers that name it get it.',
  }),
  schema: AnyObject('JSON Schema (2020-12) of the body, without external references.'),
  example: AnyObject('A body that matches the schema. Its persons are invented.'),
});
export type EventTypeDescription = Static<typeof EventTypeDescription>;

export const EventTypeList = shape('EventTypeList', {
  data: Type.Array(EventTypeDescription, { description: 'In the order of the documentation.' }),
});

export const EventTypeQuery = Type.Object({
  event_type: Type.Optional(WantedTypes('all.')),
});
