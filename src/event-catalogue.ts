import { eventTypes } from './event-types.ts';
import { EVENT_FIELDS } from './openapi-texts/events.ts';
import { FIELDS } from './openapi-texts/examples.ts';
import { FIELD_DESCRIPTIONS } from './openapi-texts/field-descriptions.ts';
import { eventBody } from './http/openapi/event-body.ts';
import { exampleOf } from './http/openapi/example-of-schema.ts';
import { ComponentSchemas } from './http/openapi/schemas.ts';
import type { EventTypeDescription } from './webhooks/event-types/schemas.ts';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

export const eventNames = eventTypes.map(({ name }) => name);

let made: { data: EventTypeDescription[] } | undefined;

/**
 * Returns every event type with an example and the JSON Schema of its body. The schema has no references. The list is
 * made at the first call.
 */
export const eventCatalogue = (): { data: EventTypeDescription[] } => (made ??= { data: describeAll() });

function describeAll(): EventTypeDescription[] {
  const schemas = new ComponentSchemas(FIELD_DESCRIPTIONS, FIELDS, { refers: false });
  return eventTypes.map((type) => {
    const body = eventBody(type, schemas);
    return {
      name: type.name,
      summary: type.summary,
      operational: type.operational,
      schema: { $schema: DIALECT, title: type.name, ...body },
      example: exampleOf(body, EVENT_FIELDS) as Record<string, unknown>,
    };
  });
}
