import { Type } from 'typebox';
import { operation } from '../../operation/operation.ts';
import { svg } from '../../operation/media.ts';
import { Success } from '../../users/schemas.ts';
import { Uuid, WordFilter } from '../../wire/schema.ts';
import { countConnections } from './count-of-team.ts';
import { disconnect } from './disconnect.ts';
import { listConnectionsOfTeam } from './list-of-team.ts';
import { listConnections } from './list.ts';
import { listProviders } from './list-providers.ts';
import { drawLogo } from './logo.ts';
import {
  ConnectionCounts,
  ConnectionsOfUser,
  ProviderDetails,
  TeamConnectionPage,
  TeamConnectionsQuery,
} from './schemas.ts';

const tag = 'connections';

export const connectionOperations = [
  operation({
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
      'Lists every provider that data can come from, also those that cannot be connected here. GET ' +
      '/v2/link/providers lists those that can.',
    handle: async ({ config }, { query: { source_type } }) => listProviders(config, source_type),
  }),
  operation({
    id: 'get_provider_logo',
    method: 'GET',
    path: '/logos/{provider}.svg',
    tag,
    auth: 'none',
    params: Type.Object({ provider: WordFilter() }),
    response: svg,
    summary: "Read a provider's picture",
    description: 'The first letters of its name on a colour of its own. A client may cache it for a day.',
    refusals: ['not_found'],
    handle: async (_ctx, { params: { provider } }) => drawLogo(provider),
  }),
  operation({
    id: 'list_connections',
    method: 'GET',
    path: '/v2/user/providers/{user_id}',
    tag,
    params: Type.Object({ user_id: Uuid }),
    response: ConnectionsOfUser,
    summary: "List a user's connections",
    description: 'Each connection lists the resources that it can bring and, if it brings nothing, the reason.',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { params: { user_id } }) => listConnections(ctx, user_id),
  }),
  operation({
    id: 'list_team_connections',
    method: 'GET',
    path: '/v2/team/connections',
    tag,
    query: TeamConnectionsQuery,
    response: TeamConnectionPage,
    summary: "List the connections of the team's users by status",
    description:
      'Lists connections in error, or those with another `status`. The connection that got its status last comes ' +
      'first. Users who are scheduled for deletion are left out.',
    refusals: ['invalid_cursor'],
    handle: (ctx, { query }) => listConnectionsOfTeam(ctx, query),
  }),
  operation({
    id: 'count_team_connections',
    method: 'GET',
    path: '/v2/team/connection_counts',
    tag,
    response: ConnectionCounts,
    summary: "Count the connections of the team's users by provider, status and error",
    description: 'Users who are scheduled for deletion are left out.',
    handle: (ctx) => countConnections(ctx),
  }),
  operation({
    id: 'delete_connection',
    method: 'DELETE',
    path: '/v2/user/{user_id}/{provider}',
    tag,
    params: Type.Object({ user_id: Uuid, provider: WordFilter() }),
    response: Success,
    summary: "End a user's connection to a provider",
    description: 'The connection brings no more data. The data that it brought stays.',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: async (ctx, { params: { user_id, provider } }) => {
      await disconnect(ctx, user_id, provider);
      return { success: true };
    },
  }),
];
