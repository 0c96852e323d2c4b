import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { IS_NOT_SUBTRACTED, isOfList, signedRows } from '../../totals/leaving-users.ts';
import { namedProvider } from '../providers/named.ts';
import { messageOf, type ConnectionError } from './error-messages.ts';
import type { ConnectionCounts } from './schemas.ts';

type Row = { provider: string; status: string; error_type: string | null; connections: number };

/**
 * Counts the team's connections by provider, status and error, without those of users who are scheduled for deletion.
 * It reads stored totals, so it does not take longer for a team with more connections.
 */
export async function readConnectionCounts({ db, team }: TeamCtx): Promise<Row[]> {
  // The totals of users who were deleted a moment ago still include their connections. For these users we count rows.
  const query = sql<Row>`
    select provider, status, error_type, sum(rows)::bigint as connections from (
      select part[1] as provider, part[2] as status, part[3] as error_type,
             ${sql.raw(signedRows('connections'))} as rows
        from totals where team_id = ${team.id} and ${sql.raw(isOfList('connections'))}
      union all
      select c.provider, c.status, c.error_type, -1
        from users cross join lateral (
          select * from connections where connections.user_id >= users.id and connections.user_id <= users.id
           order by connections.user_id, connections.provider offset 0) as c
       where users.team_id = ${team.id} and ${sql.raw(IS_NOT_SUBTRACTED)}
    ) as parts
    group by provider, status, error_type having sum(rows) > 0 order by provider, status, error_type`;
  return (await query.execute(db)).rows;
}

/** Returns the counts for the team's own screens, with names and messages for people. */
export async function countConnections(ctx: TeamCtx): Promise<Static<typeof ConnectionCounts>> {
  const rows = await readConnectionCounts(ctx);
  const withStatus = (status: string): number =>
    rows.reduce((sum, row) => (row.status === status ? sum + row.connections : sum), 0);
  return {
    connected: withStatus('connected'),
    error: withStatus('error'),
    paused: withStatus('paused'),
    data: rows.map(({ provider, status, error_type, connections }) => ({
      provider: namedProvider(ctx.config, provider),
      status,
      error_type: error_type as ConnectionError | null,
      error_message: error_type === null ? null : messageOf(error_type),
      number: connections,
    })),
  };
}
