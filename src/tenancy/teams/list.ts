import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamsCtx } from '../../context.ts';
import { decodeCursor, isId, takePage } from '../../db/cursor.ts';
import { toListedTeam } from './render.ts';
import type { TeamFilters, TeamPage } from './schemas.ts';

const PAGE_SIZE = 50;

/**
 * Lists the teams that the caller manages, or only those that the request names, in the order of their ids. The ids
 * that we generate increase with time.
 */
export async function listTeams(
  ctx: TeamsCtx,
  { region, search_query, next_cursor }: Omit<Static<typeof TeamFilters>, 'team_id'>,
): Promise<Static<typeof TeamPage>> {
  const after = next_cursor === undefined ? null : decodeCursor(next_cursor, isId);
  const { teamIds } = ctx;
  // The teams of another region are in another deployment, which lists them.
  if (region && !region.includes(ctx.config.region)) return { teams: [], next_cursor: null };
  const sought = search_query?.toLowerCase();
  const found = await ctx.db
    .selectFrom('teams')
    .select(['id', 'name', 'created_at', 'integration_team_id'])
    .where('org_id', '=', ctx.org.id)
    .where('deleted_at', 'is', null)
    .$if(teamIds !== null, (query) => query.where(sql<boolean>`id = any (${teamIds}::uuid[])`))
    .$if(sought !== undefined, (query) =>
      query.where(
        sql<boolean>`(strpos(lower(name), ${sought}) > 0
          or strpos(lower(coalesce(integration_team_id, '')), ${sought}) > 0)`,
      ),
    )
    .$if(after !== null, (query) => query.where('id', '>', after as string))
    .orderBy('id')
    .limit(PAGE_SIZE + 1)
    .execute();
  const { page, ...rest } = takePage(found, PAGE_SIZE, ({ id }) => id);
  return { teams: page.map((team) => toListedTeam(ctx.config, team)), ...rest };
}
