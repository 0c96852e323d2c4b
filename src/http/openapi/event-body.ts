import type { EventType } from '../../events/define.ts';
import { ORIGINS } from '../../events/origin.ts';
import { ComponentSchemas, type Json } from './schemas.ts';

export type DocumentedEvent = Pick<EventType, 'name' | 'summary' | 'data' | 'operational' | 'ofNobody' | 'bearsOrigin'>;

const UUID: Json = { type: 'string', format: 'uuid' };

const ORIGIN: Json = {
  type: 'string',
  enum: [...ORIGINS],
  description:
    'How the data came. live: by a push, a poll or a notification of its provider; backfill: by the pull of the past; import: from an ' +
    'uploaded file; replay: what is kept of a provider was read again. The header phial-origin says the same.',
};

/** What an event sends, as a JSON Schema; `schemas` says whether shapes are written out or referred to. */
export function eventBody(type: DocumentedEvent, schemas: ComponentSchemas): Json {
  const whose = type.ofNobody ? { type: 'null' } : undefined;
  const properties = {
    event_type: { type: 'string', const: type.name, description: 'Name of the event.' },
    data: { ...schemas.write(type.data), description: 'What the event tells of.' },
    ...(type.bearsOrigin ? { origin: ORIGIN } : {}),
    team_id: { ...UUID, description: 'Id of the team.' },
    user_id: { ...(whose ?? UUID), description: 'Id of the user that it is about.' },
    client_user_id: { ...(whose ?? { type: 'string' }), description: 'Your own id of the user.' },
  };
  return { type: 'object', required: Object.keys(properties), properties };
}
