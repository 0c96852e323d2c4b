import { sql } from 'kysely';
import type { TeamsCtx } from '../../context.ts';
import { decodeCursor, isId, takePage } from '../../db/page.ts';
import { TEAM_KEY_COLUMNS, toTeamKey, type TeamKey } from './render-team-key.ts';

const PAGE_SIZE = 50;

/**
 * The API keys in use of the teams that the caller manages, or of those that the request names, in the order they were made.
 * `value` is only the key's first characters: the whole key was shown once, at its creation.
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
    // A look-up for each key: a server without statistics would compare each with every team.
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
