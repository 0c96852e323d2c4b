import { endpoint, type Endpoint } from '../../http/endpoint.ts';
import { listEventTypes } from './list.ts';
import { EventTypeList, EventTypeQuery, type EventTypeDescription } from './schemas.ts';

/** The wings above know what is told: they give the catalogue. */
export const eventTypeEndpoints = (catalogue: () => { data: EventTypeDescription[] }): Endpoint[] => [
  endpoint({
    id: 'list_event_types',
    method: 'GET',
    path: '/v2/event_types',
    tag: 'events',
    query: EventTypeQuery,
    response: EventTypeList,
    summary: 'Read the catalogue of events',
    description:
      'Every type that webhooks and the change feed tell of, with the JSON Schema of its body and an example. ' +
      'The same stands under `webhooks` of the OpenAPI document.',
    handle: async (_, { query: { event_type = null } }) => listEventTypes(catalogue(), event_type),
  }),
];
