import { sql } from 'kysely';
import type { TeamsCtx } from '../../context.ts';
import { decodeCursor, isId, takePage } from '../../db/cursor.ts';
import { TEAM_KEY_COLUMNS, toTeamKey, type TeamKey } from './render-team-key.ts';

const PAGE_SIZE = 50;

/**
 * Lists the valid API keys of the teams that the caller manages, or only of the teams that the request names, the
 * oldest first. `value` has only the first characters of a key. Only the response that creates a key shows the complete
 * key.
 */
export async function listTeamKeys(
  ctx: TeamsCtx,
  next_cursor: string | null,
): Promise<{ api_keys: TeamKey[]; next_cursor: string | null }> {
  const after = next_cursor === null ? null : decodeCursor(next_cursor, isId);
  const { teamIds } = ctx;
  const found = await ctx.db
    .selectFrom('team_api_keys')
    .select([...TEAM_KEY_COLUMNS, 'key_start'])
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<string>`now()`)]))
    .$if(teamIds !== null, (query) => query.where(sql<boolean>`team_api_keys.team_id = any (${teamIds}::uuid[])`))
    // We find the team of each key with a lateral join. Without statistics, PostgreSQL might otherwise compare each key
    // with each team.
    .$if(teamIds === null, (query) =>
      query.innerJoinLateral(
        (eb) =>
          eb
            .selectFrom('teams')
            .select('org_id')
            .whereRef('teams.id', '=', 'team_api_keys.team_id')
            .where('org_id', '=', ctx.org.id)
            .limit(1)
            .as('managed'),
        (join) => join.onTrue(),
      ),
    )
    .$if(after !== null, (query) => query.where('team_api_keys.id', '>', after as string))
    .orderBy('team_api_keys.id')
    .limit(PAGE_SIZE + 1)
    .execute();
  const { page, ...rest } = takePage(found, PAGE_SIZE, ({ id }) => id);
  return { api_keys: page.map(({ key_start, ...row }) => toTeamKey(row, `${key_start}…`)), ...rest };
}
