import type { EventType } from '../../events/define.ts';
import { ComponentSchemas, type Json } from './schemas.ts';

export type DocumentedEvent = Pick<EventType, 'name' | 'summary' | 'data' | 'operational' | 'ofNobody'>;

const UUID: Json = { type: 'string', format: 'uuid' };

/** What an event sends, as a JSON Schema; `schemas` says whether shapes are written out or referred to. */
export function eventBody(type: DocumentedEvent, schemas: ComponentSchemas): Json {
  const whose = type.ofNobody ? { type: 'null' } : undefined;
  const properties = {
    event_type: { type: 'string', const: type.name, description: 'Name of the event.' },
    data: { ...schemas.write(type.data), description: 'What the event tells of.' },
    team_id: { ...UUID, description: 'Id of the team.' },
    user_id: { ...(whose ?? UUID), description: 'Id of the user that it is about.' },
    client_user_id: { ...(whose ?? { type: 'string' }), description: 'Your own id of the user.' },
  };
  return { type: 'object', required: Object.keys(properties), properties };
}
