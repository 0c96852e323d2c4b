import { sql } from 'kysely';
import type { Static } from 'typebox';
import { MAX_HISTORY_DAYS } from '../../../config/provider-options.ts';
import type { ManagementCtx } from '../../../context.ts';
import { decodeCursor, isId, takePage } from '../../../db/cursor.ts';
import type { PreferencesPage } from './schemas.ts';

type ProviderDays = { provider: string; default_days: number; resource_days: Record<string, number> };
type ShownPreferences = Static<typeof PreferencesPage>['data_pull_preferences'][number]['providers'];

/** Returns the preferences of teams, one entry for each team. `teams` is null for all teams of the organisation. */
export async function listPreferences(
  ctx: ManagementCtx,
  teams: string[] | null,
  { provider, next_cursor, limit }: { provider: string[]; next_cursor: string | null; limit: number },
): Promise<Static<typeof PreferencesPage>> {
  const after = next_cursor === null ? null : decodeCursor(next_cursor, isId);
  const { rows } = await sql<{ team_id: string; chosen: ProviderDays[] }>`
    select team_id, json_agg(json_build_object('provider', provider, 'default_days', default_days,
                                               'resource_days', resource_days) order by provider) as chosen
      from data_pull_preferences
     where org_id = ${ctx.org.id}
       and (${teams}::uuid[] is null or team_id = any (${teams}::uuid[]))
       and (${after}::uuid is null or team_id > ${after}::uuid)
       and (${provider.length} = 0 or provider = any (${provider}::text[]))
       and exists (select from teams where teams.id = team_id and deleted_at is null)
     group by team_id order by team_id limit ${limit + 1}`.execute(ctx.db);
  const { page, ...rest } = takePage(rows, limit, ({ team_id }) => team_id);
  const data_pull_preferences = page.map(({ team_id, chosen }) => ({
    team_id,
    providers: Object.fromEntries(chosen.map((of) => [of.provider, toShown(of)])),
  }));
  return { data_pull_preferences, ...rest };
}

function toShown({ default_days, resource_days }: ProviderDays): ShownPreferences[string] {
  const overrides = Object.entries(resource_days);
  return {
    default: withLimit(default_days),
    resource_overrides:
      overrides.length === 0 ? null : Object.fromEntries(overrides.map(([name, days]) => [name, withLimit(days)])),
  };
}

const withLimit = (days: number) => ({
  historical_days_to_pull: days,
  historical_days_to_pull_limit: MAX_HISTORY_DAYS,
});
