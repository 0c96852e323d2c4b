import { Type } from 'typebox';
import { endpoint } from '../../http/endpoint.ts';
import { svg } from '../../http/media.ts';
import { Success } from '../../users/schemas.ts';
import { Uuid, WordFilter } from '../../wire/schema.ts';
import { disconnect } from './disconnect.ts';
import { listConnections } from './list.ts';
import { listProviders } from './list-providers.ts';
import { drawLogo } from './logo.ts';
import { ConnectionsOfUser, ProviderDetails } from './schemas.ts';

const tag = 'connections';

export const connectionEndpoints = [
  endpoint({
    id: 'list_providers',
    method: 'GET',
    path: '/v2/providers',
    tag,
    query: Type.Object({
      source_type: Type.Optional(
        WordFilter({ description: 'Only providers of this kind: device, app, ble or provider.' }),
      ),
    }),
    response: Type.Array(ProviderDetails),
    summary: 'List the providers of wearable data',
    description:
      'Every provider that data can be of, also those that cannot be connected here: GET /v2/link/providers lists what can.',
    handle: async ({ config }, { query: { source_type } }) => listProviders(config, source_type),
  }),
  endpoint({
    id: 'get_provider_logo',
    method: 'GET',
    path: '/logos/{provider}.svg',
    tag,
    auth: 'none',
    params: Type.Object({ provider: WordFilter() }),
    response: svg,
    summary: "Read a provider's picture",
    description: 'The beginning of its name on a colour of its own; it may be kept for a day.',
    refusals: ['not_found'],
    handle: async (_ctx, { params: { provider } }) => drawLogo(provider),
  }),
  endpoint({
    id: 'list_connections',
    method: 'GET',
    path: '/v2/user/providers/{user_id}',
    tag,
    params: Type.Object({ user_id: Uuid }),
    response: ConnectionsOfUser,
    summary: "List a user's connections",
    description: 'With what each can bring, and why one brings nothing any more.',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { params: { user_id } }) => listConnections(ctx, user_id),
  }),
  endpoint({
    id: 'delete_connection',
    method: 'DELETE',
    path: '/v2/user/{user_id}/{provider}',
    tag,
    params: Type.Object({ user_id: Uuid, provider: WordFilter() }),
    response: Success,
    summary: "End a user's connection to a provider",
    description: 'Nothing more comes in by it. The data that it brought stays.',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: async (ctx, { params: { user_id, provider } }) => {
      await disconnect(ctx, user_id, provider);
      return { success: true };
    },
  }),
];
