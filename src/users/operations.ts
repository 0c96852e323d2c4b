import { Type } from 'typebox';
import { operation } from '../operation/operation.ts';
import { TextFilter, Uuid, withDefault } from '../wire/schema.ts';
import { createUser } from './create.ts';
import { deleteUser, undoDeleteUser } from './delete.ts';
import { findUser, findUserByClientId, renderUser, toUser, toUsers } from './find.ts';
import { findUserInfo, putUserInfo } from './info.ts';
import { listUsers } from './list.ts';
import { countOfTeam } from './count-of-team.ts';
import { patchUser } from './patch.ts';
import { searchUsers } from './search-users.ts';
import { findByPerson } from './search/find-by-person.ts';
import { FoundUserPage, UserSearch } from './search/schemas.ts';
import { createSignInToken } from './sign-in-token.ts';
import {
  ClientUserId,
  SignInToken,
  Success,
  TeamMetrics,
  User,
  UserInfo,
  UserInfoInput,
  UserInput,
  UserPage,
  UserPatch,
} from './schemas.ts';

const tag = 'users';
const params = Type.Object({ user_id: Uuid });

export const userOperations = [
  operation({
    id: 'create_user',
    method: 'POST',
    path: '/v2/user',
    tag,
    body: UserInput,
    response: User,
    summary: 'Create a user',
    description: 'A client_user_id that is in use returns 400 with the user_id and created_on of the user that has it.',
    refusals: ['limit_reached', 'client_user_id_conflict', 'ingestion_range_invalid'],
    handle: async (ctx, { body }) => renderUser(ctx, await createUser(ctx, body)),
  }),
  operation({
    id: 'list_users',
    method: 'GET',
    path: '/v2/user',
    tag,
    response: UserPage,
    summary: 'List users',
    query: Type.Object({
      offset: withDefault(Type.Integer({ minimum: 0, maximum: 1_000_000_000 }), 0),
      limit: withDefault(Type.Integer({ minimum: 1, maximum: 500 }), 100),
    }),
    handle: async (ctx, { query: { offset, limit } }) => {
      const { users, total } = await listUsers(ctx, { offset, limit });
      return { users: await toUsers(ctx, users), total, offset, limit };
    },
  }),
  operation({
    id: 'get_team_metrics',
    method: 'GET',
    path: '/v2/user/metrics',
    tag,
    response: TeamMetrics,
    summary: 'Count the users, connections and orders of the team',
    handle: (ctx) => countOfTeam(ctx),
  }),
  operation({
    id: 'resolve_user',
    method: 'GET',
    path: '/v2/user/resolve/{client_user_id}',
    tag,
    response: User,
    summary: "Find a user by the customer's own reference",
    params: Type.Object({ client_user_id: ClientUserId }),
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: async (ctx, { params: { client_user_id } }) => toUser(ctx, await findUserByClientId(ctx, client_user_id)),
  }),
  operation({
    id: 'undo_delete_user',
    method: 'POST',
    path: '/v2/user/undo_delete',
    tag,
    response: Success,
    summary: 'Undo the deletion of a user',
    description: 'Possible within 7 days of the deletion. Give exactly one of the two ids.',
    query: Type.Object(
      {
        user_id: Type.Optional(Uuid),
        client_user_id: Type.Optional(ClientUserId),
      },
      { exactlyOne: ['user_id', 'client_user_id'] },
    ),
    refusals: ['not_found'],
    handle: async (ctx, { query: { user_id, client_user_id } }) => {
      await undoDeleteUser(ctx, user_id === undefined ? { client_user_id: client_user_id ?? '' } : { user_id });
      return { success: true };
    },
  }),
  operation({
    id: 'get_user',
    method: 'GET',
    path: '/v2/user/{user_id}',
    tag,
    params,
    response: User,
    summary: 'Read a user',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: async (ctx, { params: { user_id } }) => toUser(ctx, await findUser(ctx, user_id)),
  }),
  operation({
    id: 'patch_user',
    method: 'PATCH',
    path: '/v2/user/{user_id}',
    tag,
    params,
    body: UserPatch,
    summary: 'Change a user',
    description: 'Keys that are left out stay as they are. null clears a value, except client_user_id, which stays.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'client_user_id_conflict', 'ingestion_range_invalid'],
    handle: (ctx, { params: { user_id }, body }) => patchUser(ctx, user_id, body),
  }),
  operation({
    id: 'delete_user',
    method: 'DELETE',
    path: '/v2/user/{user_id}',
    tag,
    params,
    response: Success,
    summary: 'Delete a user',
    description: 'Everything of the user is erased after 7 days. Until then the deletion can be undone.',
    refusals: ['not_found'],
    handle: async (ctx, { params: { user_id } }) => {
      await deleteUser(ctx, user_id);
      return { success: true };
    },
  }),
  operation({
    id: 'create_sign_in_token',
    method: 'POST',
    path: '/v2/user/{user_id}/sign_in_token',
    tag,
    area: 'wearables',
    params,
    response: SignInToken,
    secretResponse: true,
    summary: "Create a token for a user's own phone",
    description:
      'As `Authorization: Bearer`, the token lets the phone send data of this user for an hour, and ' +
      'nothing else. It ends at once when the key that created it ends. A user has at most 20 tokens at a ' +
      'time: a new one replaces the oldest.',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { params: { user_id } }) => createSignInToken(ctx, user_id),
  }),
  operation({
    id: 'put_user_info',
    method: 'PATCH',
    path: '/v2/user/{user_id}/info',
    tag,
    params,
    body: UserInfoInput,
    response: UserInfo,
    summary: "Store a user's demographics",
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { params: { user_id }, body }) => putUserInfo(ctx, user_id, body),
  }),
  operation({
    id: 'get_user_info',
    method: 'GET',
    path: '/v2/user/{user_id}/info/latest',
    tag,
    params,
    response: UserInfo,
    summary: "Read a user's demographics",
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { params: { user_id } }) => findUserInfo(ctx, user_id),
  }),
  operation({
    id: 'find_users',
    method: 'POST',
    path: '/v2/user/search',
    tag,
    readsOnly: true,
    body: UserSearch,
    response: FoundUserPage,
    summary: 'Find users by e-mail, phone number, date of birth or name, and read who users are',
    description:
      'Newest first. All given data must belong to a user. They stand in the body, so that no log of addresses has ' +
      'them. Users who were created by an earlier release are found some minutes after the upgrade.',
    refusals: ['invalid_cursor'],
    handle: (ctx, { body }) => findByPerson(ctx, body),
  }),
  operation({
    id: 'search_users',
    method: 'GET',
    path: '/v2/team/users/search',
    tag,
    response: Type.Array(User),
    summary: 'Search users by user_id or a part of client_user_id',
    description:
      'At most 100 users, in the order in which they were created. Without query_id: the newest 50, newest first.',
    query: Type.Object({
      query_id: Type.Optional(
        TextFilter({
          minLength: 2,
          maxLength: 256,
          description: 'A user_id, or a part of a client_user_id. Case does not matter.',
        }),
      ),
    }),
    handle: async (ctx, { query: { query_id } }) => toUsers(ctx, await searchUsers(ctx, query_id)),
  }),
];
