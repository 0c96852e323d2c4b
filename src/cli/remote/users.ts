import { itemsOf, pagesOf, unwrap, type components, type Phial } from '@phial/client';
import { isUuid } from '../../ids.ts';
import { printJson, tableOf } from '../print.ts';
import { readLimit, take } from './limit.ts';
import { withRemote } from './with-remote.ts';

type User = components['schemas']['User'];

type UsersOptions = {
  operand: string | undefined;
  url: string | undefined;
  key: string | undefined;
  limit: string;
  json: boolean;
};

/** Prints the users of the team, those that a search finds, or one user with the connected providers. */
export async function usersCommand(values: UsersOptions): Promise<number> {
  const { operand: wanted, json } = values;
  const limit = readLimit('users', values.limit);
  return withRemote('users', values, async ({ team }) => {
    const phial = team();
    if (wanted !== undefined && isUuid(wanted)) {
      const user = await unwrap(phial.GET('/v2/user/{user_id}', { params: { path: { user_id: wanted } } }));
      if (json) printJson(user);
      else console.log(describe(user));
      return 0;
    }
    const found = wanted === undefined ? await listUsers(phial, limit) : await searchUsers(phial, wanted, limit);
    if (json) printJson({ users: found });
    else console.log(found.length === 0 ? 'No user matches.' : table(found));
    return 0;
  });
}

const listUsers = (phial: Phial, limit: number): Promise<User[]> =>
  take(
    itemsOf(
      pagesOf(({ offset }) =>
        unwrap(phial.GET('/v2/user', { params: { query: { offset, limit: Math.min(limit, 500) } } })),
      ),
      'users',
    ),
    limit,
  );

const searchUsers = async (phial: Phial, text: string, limit: number): Promise<User[]> =>
  (await unwrap(phial.GET('/v2/team/users/search', { params: { query: { query_id: text } } }))).slice(0, limit);

const providersOf = ({ connected_sources }: User): string =>
  connected_sources.map(({ source }) => source.slug).join(', ') || '-';

const table = (users: User[]): string =>
  tableOf(
    ['USER', 'CLIENT USER ID', 'PROVIDERS', 'CREATED'],
    users.map((user) => [user.user_id, user.client_user_id, providersOf(user), user.created_on]),
  );

const describe = (user: User): string =>
  [
    `User ${user.user_id}`,
    `Client user id  ${user.client_user_id}`,
    `Created         ${user.created_on}`,
    `Providers       ${providersOf(user)}`,
  ].join('\n');
