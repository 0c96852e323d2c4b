import { sql, type RawBuilder } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { decodeCursor, isId, takePage } from '../../db/cursor.ts';
import { toUsers, USER_COLUMNS, type UserRow } from '../find.ts';
import type { UserInfo } from '../schemas.ts';
import { searchHashes, type SearchHash } from './hashes.ts';
import type { FoundUserPage, UserSearch } from './schemas.ts';

type Row = UserRow & { info: Buffer | null };
const COLUMNS = sql.join(USER_COLUMNS.map((column) => sql.ref(`users.${column}`)));
const INFO = sql`(select info from user_info where user_info.user_id = users.id) as info`;

/** Finds the users to whom all the given data belong, the newest first. */
export async function findByPerson(
  ctx: TeamCtx,
  { limit, next_cursor, birth_date, user_ids, ...person }: Static<typeof UserSearch>,
): Promise<Static<typeof FoundUserPage>> {
  const before = next_cursor === undefined ? null : decodeCursor(next_cursor, isId);
  const hashes = searchHashes(ctx, ctx.team.id, {
    ...person,
    ...(birth_date !== undefined && { birth_dates: [birth_date] }),
  });
  // A name of punctuation has no word, and so no hash.
  const namesOnlyUsers = birth_date === undefined && Object.keys(person).length === 0;
  if (hashes.length === 0 && !namesOnlyUsers) return { data: [], next_cursor: null };
  const wanted = { hashes, user_ids: user_ids ?? null, before, limit };
  const { rows } = await (namesOnlyUsers ? ofUsers(ctx, wanted) : ofHashes(ctx, wanted)).execute(ctx.db);
  const { page, ...rest } = takePage(rows, limit, ({ id }) => id);
  const users = await toUsers(ctx, page);
  return { data: users.map((user, i) => ({ ...user, person: personOf(ctx, page[i] as Row) })), ...rest };
}

type Wanted = { hashes: SearchHash[]; user_ids: string[] | null; before: string | null; limit: number };

const ofUsers = ({ team }: TeamCtx, { user_ids, before, limit }: Wanted): RawBuilder<Row> => sql<Row>`
  select ${COLUMNS}, ${INFO} from users
   where users.id = any(${user_ids}::uuid[]) and users.team_id = ${team.id} and users.deleted_at is null
     ${before === null ? sql`` : sql`and users.id < ${before}`}
   order by users.id desc limit ${limit + 1}`;

/**
 * The index has the users of a hash in the order of the page, so a page of a common name reads few of them. With
 * `offset 0`, PostgreSQL finds each user by its key, whatever the statistics say. One subquery looks for all further
 * hashes, because a condition for each would take longer to plan than to run.
 */
const ofHashes = (
  { team }: TeamCtx,
  { hashes: [first, ...others], user_ids, before, limit }: Wanted,
): RawBuilder<Row> => sql<Row>`
  select found.* from user_search_hashes first
   cross join lateral (
     select ${COLUMNS}, ${INFO} from users
      where users.id = first.user_id and users.team_id = first.team_id and users.deleted_at is null
     offset 0) as found
   where first.team_id = ${team.id} and first.kind = ${first?.kind} and first.hash = ${first?.hash}
     ${before === null ? sql`` : sql`and first.user_id < ${before}`}
     ${user_ids === null ? sql`` : sql`and first.user_id = any(${user_ids}::uuid[])`}
     and (select bool_and((
            select true from user_search_hashes other
             where other.team_id = first.team_id and other.kind = wanted.kind and other.hash = wanted.hash
               and other.user_id = first.user_id
             limit 1) is true)
           from unnest(${others.map(({ kind }) => kind)}::text[], ${others.map(({ hash }) => hash)}::bytea[])
                  as wanted (kind, hash)) is not false
   order by first.user_id desc limit ${limit + 1}`;

function personOf({ cipher }: TeamCtx, row: Row): Static<typeof FoundUserPage>['data'][number]['person'] {
  if (row.info === null) return null;
  const { first_name, last_name, dob } = cipher.openJson<Static<typeof UserInfo>>('user_info.info', row, row.info);
  return { first_name, last_name, dob };
}
