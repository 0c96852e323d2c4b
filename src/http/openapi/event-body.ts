import type { EventType } from '../../events/define.ts';
import { ORIGINS } from '../../events/origin.ts';
import { ComponentSchemas, type Json } from './schemas.ts';

export type DocumentedEvent = Pick<
  EventType,
  'name' | 'summary' | 'data' | 'operational' | 'isWithoutUser' | 'hasOrigin'
>;

const UUID: Json = { type: 'string', format: 'uuid' };

const ORIGIN: Json = {
  type: 'string',
  enum: [...ORIGINS],
  description:
    'How the data arrived. live: by a push, a poll or a notification of the provider; backfill: by the pull ' +
    'of past data; import: from an uploaded file; replay: from stored provider data that was read again. The ' +
    'header phial-origin has the same value.',
};

/**
 * Returns the JSON Schema of the body of an event. `schemas` decides whether a named schema appears as a reference or
 * inline.
 */
export function eventBody(type: DocumentedEvent, schemas: ComponentSchemas): Json {
  const whose = type.isWithoutUser ? { type: 'null' } : undefined;
  const properties = {
    event_type: { type: 'string', const: type.name, description: 'The name of the event.' },
    data: { ...schemas.write(type.data), description: 'The content of the event.' },
    ...(type.hasOrigin ? { origin: ORIGIN } : {}),
    team_id: { ...UUID, description: 'The id of the team.' },
    user_id: { ...(whose ?? UUID), description: 'The id of the user whom the event is about.' },
    client_user_id: { ...(whose ?? { type: 'string' }), description: 'Your own id of the user.' },
  };
  return { type: 'object', required: Object.keys(properties), properties };
}
