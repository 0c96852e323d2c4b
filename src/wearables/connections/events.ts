import { defineEvent } from '../../events/define.ts';
import { BrokenConnection, NewConnection } from './schemas.ts';

export const connectionCreated = defineEvent({
  name: 'provider.connection.created',
  data: NewConnection,
  summary:
    'A user has connected a provider, for the first time or again after an error or a pause. The data tells what the ' +
    'connection can bring: a user may have refused some of it.',
});

export const connectionError = defineEvent({
  name: 'provider.connection.error',
  data: BrokenConnection,
  summary: 'A connection brings nothing any more. Most often the user has to connect the provider again.',
});
