import { operation, type Operation } from '../../operation/operation.ts';
import { listEventTypes } from './list.ts';
import { EventTypeList, EventTypeQuery, type EventTypeDescription } from './schemas.ts';

/**
 * The operations of the catalogue. This module may not import the modules that define event types, so the caller passes
 * the catalogue.
 */
export const eventTypeOperations = (catalogue: () => { data: EventTypeDescription[] }): Operation[] => [
  operation({
    id: 'list_event_types',
    method: 'GET',
    path: '/v2/event_types',
    tag: 'events',
    query: EventTypeQuery,
    response: EventTypeList,
    summary: 'Read the catalogue of events',
    description:
      'Every type of event that webhooks and the change feed send, with the JSON Schema of its body and an ' +
      'example. The same is in the OpenAPI document under `webhooks`.',
    handle: async (_, { query: { event_type = null } }) => listEventTypes(catalogue(), event_type),
  }),
];
