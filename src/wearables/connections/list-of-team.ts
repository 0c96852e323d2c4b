import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { byIndex } from '../../db/session/by-index.ts';
import { decodeCursor, takePage } from '../../db/cursor.ts';
import { namedProvider } from '../providers/named.ts';
import { isConnectionKey, type ConnectionKey } from './connection-key.ts';
import { messageOf, type ConnectionError } from './error-messages.ts';
import type { TeamConnectionPage, TeamConnectionsQuery } from './schemas.ts';

type Row = {
  user_id: string;
  client_user_id: string;
  provider: string;
  status: string;
  since: string;
  since_us: number;
  error_type: string | null;
  errored_at: string | null;
};

/** Returns the team's connections with one status, those that got it last first. An index has them in this order. */
export async function listConnectionsOfTeam(
  ctx: TeamCtx,
  { status, provider, error_type, limit, next_cursor }: Static<typeof TeamConnectionsQuery>,
): Promise<Static<typeof TeamConnectionPage>> {
  const after = next_cursor === undefined ? null : decodeCursor(next_cursor, isConnectionKey);
  const isOf = provider === undefined ? sql`` : sql`and c.provider = ${provider}`;
  const isFor = error_type === undefined ? sql`` : sql`and c.error_type = ${error_type}`;
  const isAfter =
    after === null
      ? sql``
      : sql`and (c.status_since, c.user_id, c.provider)
              < (timestamptz 'epoch' + ${after[1]}::bigint * interval '1 microsecond', ${after[2]}::uuid, ${after[3]})`;
  const query = sql<Row>`
    select c.user_id, users.client_user_id, c.provider, c.status, c.status_since as since,
           (extract(epoch from c.status_since) * 1000000)::bigint as since_us, c.error_type, c.errored_at
      from connections c join users on users.id = c.user_id and users.deleted_at is null
     where c.team_id = ${ctx.team.id} and c.status = ${status} ${isOf} ${isFor} ${isAfter}
     order by c.status_since desc, c.user_id desc, c.provider desc limit ${limit + 1}`;
  const { rows } = await byIndex(query).execute(ctx.db);
  const { page, ...rest } = takePage(rows, limit, ({ since_us, user_id, provider }): ConnectionKey => [
    'connections',
    since_us,
    user_id,
    provider,
  ]);
  return {
    data: page.map((row) => ({
      user_id: row.user_id,
      client_user_id: row.client_user_id,
      provider: namedProvider(ctx.config, row.provider),
      status: row.status,
      since: row.since,
      error_details:
        row.error_type === null || row.errored_at === null
          ? null
          : {
              error_type: row.error_type as ConnectionError,
              error_message: messageOf(row.error_type),
              errored_at: row.errored_at,
            },
    })),
    ...rest,
  };
}
