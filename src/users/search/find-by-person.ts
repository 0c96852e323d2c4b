import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { decodeCursor, isId, takePage } from '../../db/cursor.ts';
import { toUsers, USER_COLUMNS, type UserRow } from '../find.ts';
import type { UserInfo } from '../schemas.ts';
import { searchHashes } from './hashes.ts';
import type { FoundUserPage, UserSearch } from './schemas.ts';

type Row = UserRow & { info: Buffer | null };
const COLUMNS = sql.join(USER_COLUMNS.map((column) => sql.ref(column)));

/** Finds the users to whom all the given data belong, the newest first. */
export async function findByPerson(
  ctx: TeamCtx,
  { limit, next_cursor, birth_date, ...person }: Static<typeof UserSearch>,
): Promise<Static<typeof FoundUserPage>> {
  const before = next_cursor === undefined ? null : decodeCursor(next_cursor, isId);
  const [first, ...others] = searchHashes(ctx, ctx.team.id, {
    ...person,
    ...(birth_date !== undefined && { birth_dates: [birth_date] }),
  });
  // A name of punctuation has no word, and so no hash.
  if (first === undefined) return { data: [], next_cursor: null };
  // The index has the users of a hash in the order of the page, so a page of a common name reads few of them. With
  // `offset 0`, PostgreSQL finds each user by its key, whatever the statistics say.
  const { rows } = await sql<Row>`
    select found.* from user_search_hashes first
     cross join lateral (
       select ${COLUMNS}, (select info from user_info where user_info.user_id = users.id) as info
         from users where users.id = first.user_id and users.team_id = first.team_id and users.deleted_at is null
       offset 0) as found
     where first.team_id = ${ctx.team.id} and first.kind = ${first.kind} and first.hash = ${first.hash}
       ${before === null ? sql`` : sql`and first.user_id < ${before}`}
       ${sql.join(
         others.map(
           ({ kind, hash }) => sql`and exists (
             select from user_search_hashes other where other.team_id = first.team_id and other.kind = ${kind}
                and other.hash = ${hash} and other.user_id = first.user_id)`,
         ),
         sql` `,
       )}
     order by first.user_id desc limit ${limit + 1}`.execute(ctx.db);
  const { page, ...rest } = takePage(rows, limit, ({ id }) => id);
  const users = await toUsers(ctx, page);
  return { data: users.map((user, i) => ({ ...user, person: personOf(ctx, page[i] as Row) })), ...rest };
}

function personOf({ cipher }: TeamCtx, row: Row): Static<typeof FoundUserPage>['data'][number]['person'] {
  if (row.info === null) return null;
  const { first_name, last_name, dob } = cipher.openJson<Static<typeof UserInfo>>('user_info.info', row, row.info);
  return { first_name, last_name, dob };
}
