import { defineEvent } from '../../events/define.ts';
import { BrokenConnection, NewConnection } from './schemas.ts';

export const connectionCreated = defineEvent({
  name: 'provider.connection.created',
  data: NewConnection,
  summary:
    'A user has connected a provider, for the first time or again after an error or a pause. The ' +
    'data lists the resources that the connection can bring: a user may have refused some of them.',
});

export const connectionError = defineEvent({
  name: 'provider.connection.error',
  data: BrokenConnection,
  summary: 'A connection brings no more data. Most often the user has to connect the provider again.',
});
