import { unwrap } from '@phial/client';
import { Type } from 'typebox';
import { DEFAULT_ITEMS, limit, userId } from './inputs.ts';
import { tool, type Tool } from './tool.ts';

export const USER_TOOLS: Tool[] = [
  tool({
    name: 'find_users',
    title: 'Find users',
    description:
      'Finds users by a part of your own id (client_user_id) or by user_id. Without search: the newest users. ' +
      'find_orders finds patients by name or date of birth.',
    input: Type.Object(
      {
        search: Type.Optional(
          Type.String({ minLength: 2, maxLength: 256, description: 'A user_id, or a part of a client_user_id.' }),
        ),
        limit: Type.Optional(limit),
      },
      { additionalProperties: false },
    ),
    read: async (phial, { search, limit: most = DEFAULT_ITEMS }) => {
      const query = search === undefined ? {} : { query_id: search };
      const users = await unwrap(phial.GET('/v2/team/users/search', { params: { query } }));
      const items = users.slice(0, most).map(({ user_id, client_user_id, created_on, connected_sources }) => ({
        user_id,
        client_user_id,
        created_at: created_on,
        providers: connected_sources.map(({ source }) => source.slug),
      }));
      return { found: users.length, list: { name: 'users', items } };
    },
  }),
  tool({
    name: 'list_connections',
    title: 'Connections of a user',
    description:
      'Lists the providers of wearable data that a user has connected, with the state of each, its last data, and ' +
      'the reason if it brings none.',
    input: Type.Object({ user_id: userId }, { additionalProperties: false }),
    read: async (phial, { user_id }) => {
      const path = { user_id };
      const { providers } = await unwrap(phial.GET('/v2/user/providers/{user_id}', { params: { path } }));
      const items = providers.map((one) => ({
        provider: one.slug,
        name: one.name,
        status: one.status,
        connected_at: one.created_on,
        last_data_at: one.last_data_at,
        last_attempt: one.last_attempt,
        error: one.error_details,
        next: one.next,
        resources: Object.keys(one.resource_availability),
      }));
      return { user_id, list: { name: 'connections', items } };
    },
  }),
];
