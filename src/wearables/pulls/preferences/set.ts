import { sql } from 'kysely';
import type { TeamsCtx } from '../../../context.ts';
import type { ProviderPreferences } from './schemas.ts';

/** Sets how many days of the past new connections of these teams import. Pulls that have begun do not change. */
export async function setPreferences(
  ctx: TeamsCtx,
  teams: string[],
  providers: Record<string, ProviderPreferences>,
): Promise<void> {
  const chosen = Object.entries(providers).map(([provider, { default: usual, resource_overrides }]) => ({
    provider,
    days: usual.historical_days_to_pull,
    resources: Object.fromEntries(
      Object.entries(resource_overrides ?? {}).map(([name, { historical_days_to_pull }]) => [
        name,
        historical_days_to_pull,
      ]),
    ),
  }));
  await sql`
    insert into data_pull_preferences (team_id, provider, org_id, default_days, resource_days)
    select team_id, provider, ${ctx.org.id}, days, resources
      from unnest(${teams}::uuid[]) as team_id
     cross join jsonb_to_recordset(${JSON.stringify(chosen)}::jsonb) as chosen (provider text, days smallint,
       resources jsonb)
     order by team_id, provider
    on conflict (team_id, provider) do update
      set default_days = excluded.default_days, resource_days = excluded.resource_days, updated_at = now()`.execute(
    ctx.db,
  );
}
